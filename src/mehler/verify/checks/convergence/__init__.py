"""Rate of convergence: estimates at growing sizes in, one verdict on their decay out."""
