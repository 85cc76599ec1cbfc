"""The figures, tables and printed numbers of the five papers, worked out by this package: `make papers`."""

from reproduce import paper_a, paper_b, paper_c, paper_d, paper_e

PAPERS = {module.PAPER.key: module.PAPER for module in (paper_a, paper_b, paper_c, paper_d, paper_e)}
