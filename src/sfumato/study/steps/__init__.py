"""Each step of a study in one call, and the only place where a release is put together: check, draw, pay, write.

The command, the library's `sf.*` and whatever serves them call these; none of them touches a ledger or writes a key
file by itself, so safety is written once.
"""

from sfumato.on_demand import names_on_demand

__getattr__, __dir__ = names_on_demand(__name__, __file__)
