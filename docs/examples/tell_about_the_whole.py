"""Tell what four samples say together, and nothing about any of them: a disclosure, its bits, and one release."""

from fractions import Fraction

import sfumato as sf


def main() -> None:
    """Find the best disclosure of four samples, see that it leaks nothing, and release two data sets."""
    law = sf.disclosure.DataLaw.independent([Fraction(7, 10), Fraction(3, 10)], 4)
    told = sf.disclosure.optimum(law)
    print(f"tells {told.lower_bits:.2f} bits about the data set, at most {told.upper_bits:.2f} can be told")
    print(f"leaks {told.leak_bits:g} bits about any sample")

    symbols = told.release([[0, 1, 0, 0], [1, 1, 0, 1]])
    print(f"released {symbols.tolist()}")


if __name__ == "__main__":
    main()
