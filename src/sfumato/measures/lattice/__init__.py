"""Noise on a grid: how much passes through the discrete Gaussian that is really drawn."""
