"""What [E] says in its figure, examples, equations and text, number by number, beside what the software finds.

Figure 2 of the paper is a diagram of models with no numbers in it, so it is not here.
"""

from sfumato.papers.dalenius_goal.joint_entries import JOINT_ENTRIES
from sfumato.papers.dalenius_goal.leak_entries import LEAK_ENTRIES
from sfumato.papers.dalenius_goal.noise_entries import NOISE_ENTRIES

ENTRIES = (*LEAK_ENTRIES, *NOISE_ENTRIES, *JOINT_ENTRIES)
