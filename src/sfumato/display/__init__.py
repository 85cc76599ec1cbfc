"""Text, numbers, tables and charts as data, for terminals, Markdown, HTML and SVG."""

from sfumato.lazy import names_on_demand

__getattr__, __dir__ = names_on_demand(__name__, __file__)
