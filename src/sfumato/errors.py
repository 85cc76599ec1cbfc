"""Everything that Sfumato raises on purpose.

::

    SfumatoError
    ├── InvalidInput            what was handed in cannot be used       (exit code 2)
    │   ├── InvalidParameter    a number or choice breaks its rule
    │   ├── InvalidLaw          rows or probabilities that are no law
    │   ├── UnreadableFile      empty, too large, damaged, not what it says
    │   └── UnknownSchema       written by a newer version, or by someone else
    ├── Refused                 the question was fine, the answer is no (exit code 1)
    │   ├── ClaimRefused        recomputing a claim gave something else
    │   ├── DigestMismatch      the bytes are not the bytes that were sealed
    │   ├── NotCertified        a solver did not reach what it has to prove
    │   ├── BudgetSpent         a release asks for more than its ledger has left
    │   ├── KeyRefused          a key that does not fit, was changed, or cannot be unlocked
    │   └── KeyReused           the same draws would hide two things, which hides neither
    └── SourceFailed            random bits could not be had; nothing was released

An error names the parameter, the rule and the way out. It never contains an answer, a report or a key.
"""

from __future__ import annotations


class SfumatoError(Exception):
    """Base of everything raised on purpose."""

    exit_code = 1


class InvalidInput(SfumatoError, ValueError):
    """What was handed in cannot be used."""

    exit_code = 2


class InvalidParameter(InvalidInput):
    """A number or a choice breaks its rule."""


class InvalidLaw(InvalidInput):
    """Rows or probabilities that are not a law."""


class UnreadableFile(InvalidInput):
    """A file that is empty, too large, damaged or not what its name says."""


class UnknownSchema(UnreadableFile):
    """A file whose schema this version does not know."""


class Refused(SfumatoError):
    """The question was fine; the answer is no."""


class ClaimRefused(Refused):
    """Recomputing a claim from its subject gave something else."""


class DigestMismatch(Refused):
    """The bytes are not the ones that were sealed."""


class NotCertified(Refused):
    """A solver did not reach what it has to prove."""


class BudgetSpent(Refused):
    """A release asks for more than its ledger has left, or for a promise that can be made only once."""


class KeyRefused(Refused):
    """A key that does not belong to these reports, was changed, or cannot be unlocked."""


class KeyReused(Refused):
    """The same draws would be used twice, and the difference of two reports shows the difference of the answers."""


class SourceFailed(SfumatoError):
    """Random bits could not be had; nothing was released."""


class InsecureBitsWarning(UserWarning):
    """Reports are being made from a seed that anyone can repeat: a simulation, not a release."""
