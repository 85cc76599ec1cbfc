"""Sfumato: publish one private report; each reader sees it as sharply as their key allows.

Every claim about what leaks comes with a certificate that a machine can check. The façade is lazy: importing it costs
next to nothing, and a name brings in only the rooms behind it.
"""

from sfumato.lazy import names_on_demand

__version__ = "0.2.0"
__getattr__, __dir__ = names_on_demand(__name__, __file__)
