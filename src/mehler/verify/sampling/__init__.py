"""Independent samples: a drawn map and rows in, samples with the kernel as their mean out."""
