"""Where we depart from [E], each entry with its kind and an example that runs, in the order of the paper."""

from sfumato.papers.dalenius_goal.joint_errata import JOINT_ERRATA
from sfumato.papers.dalenius_goal.leak_errata import LEAK_ERRATA
from sfumato.papers.dalenius_goal.noise_errata import NOISE_ERRATA

ERRATA = (*LEAK_ERRATA, *NOISE_ERRATA, *JOINT_ERRATA)
