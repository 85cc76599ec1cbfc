"""What is best? One problem a file."""

from sfumato.on_demand import names_on_demand

__getattr__, __dir__ = names_on_demand(__name__, __file__)
