"""What happens as the pool grows: sizes, locality and collisions."""
