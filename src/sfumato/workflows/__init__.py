"""One module a verb: the functions that the command, the server and the library call."""

from sfumato.lazy import names_on_demand

__getattr__, __dir__ = names_on_demand(__name__, __file__)
