"""How much a channel leaks, with one measure or family of measures in each module.

A channel is given as a channel, or by its rows in nested lists, an array or a data frame; a prior is a distribution or
a list or an array of probabilities.

A plain name, or one that ends in `_bits` or `_nats`, returns one number (a Fraction where the channel is exact and the
measure rational); its sibling ending in `_interval` encloses the true value. Capacities come as intervals only.
"""

from sfumato.lazy import names_on_demand

__getattr__, __dir__ = names_on_demand(__name__, __file__)
