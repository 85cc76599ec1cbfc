"""Releases of parts of publications, as studies make them, for whoever tests an account."""

from dataclasses import replace

from sfumato.ledger import Published, PublishedColumn, Role, information


def part_id(number):
    return f"{number:032x}"


def reports(number, charges, *, of=None, amends=None, people=None, study="Homes", epoch=0):
    """A release of a part that has its own number as id, drawing and digest."""
    role = Role.AMEND if amends is not None else Role.APPEND if of is not None else Role.FIRST
    column = PublishedColumn(question="moved", drawing=part_id(number), digest=f"{number:064x}")
    published = Published(
        study=study, fingerprint="c" * 64, epoch=epoch, rows=5, columns=(column,), seen=(("public", "0.5"),),
        part=part_id(number), people=people, role=role, of=None if of is None else part_id(of),
        amends=None if amends is None else part_id(amends),
    )  # fmt: skip
    bits, epsilon, leakage = charges
    plain = information(f"part {number}", bits, epsilon=epsilon, leakage_bits=leakage)
    return replace(plain, published=published, people=people)
