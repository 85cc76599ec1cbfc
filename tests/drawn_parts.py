"""Parts of publications drawn in memory, without files, records and payments."""

from sfumato.publications.note import new_part_id
from sfumato.publications.part import (
    MemorySink,
    PartPlan,
    StudyPublication,
    draw_part,
    is_simulation,
    open_answers,
    source_or_system,
)
from sfumato.sampling import Guarantee


def drawn_part(
    study,
    table,
    *,
    bits=None,
    keep=(),
    epoch=0,
    guarantee=Guarantee.INFORMATION_THEORETIC,
    keys=None,
    before=None,
):
    """Draw the first part of a publication; under `keys` it is their part again, with the salts of `before`."""
    source = source_or_system(bits)
    part = next(key.drawing for held in keys.values() for key in held.values()) if keys else new_part_id(bits)
    plan = PartPlan(
        study=study,
        part=part,
        source=source,
        guarantee=guarantee,
        epoch=epoch,
        keep=tuple(keep),
        keys=keys,
        before=None if before is None else before.reports.note.part(part),
    )
    sink = MemorySink()
    note, made = draw_part(plan, open_answers(study, table, keep), sink)
    simulated = is_simulation(study, source, keys)
    return StudyPublication(reports=sink.reports(note), keys=sink.keys(made), simulated=simulated)
