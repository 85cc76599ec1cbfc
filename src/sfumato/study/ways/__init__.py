"""The ways of asking, one module each, and the table that maps the kinds of a study file to them.

A new kind is a module with a `Question` and its `Way`, and one line in :mod:`sfumato.study.ways.kind_table`.
"""

from sfumato.on_demand import names_on_demand

__getattr__, __dir__ = names_on_demand(__name__, __file__)
