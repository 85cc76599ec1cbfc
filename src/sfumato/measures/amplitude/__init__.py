"""Gaussian noise under a limit on the amplitude: capacities, and the few points that reach them."""
