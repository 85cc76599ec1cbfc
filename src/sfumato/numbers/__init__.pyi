from sfumato.numbers.intervals import Interval

__all__ = [
    "Interval",
]
