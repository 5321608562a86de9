"""What maxout features converge to, and how near m of them come."""
