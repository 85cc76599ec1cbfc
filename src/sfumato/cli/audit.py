"""sfumato audit: tests a claim against draws."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli.options import Engine, EngineWord, InsecureSeed, Json, SparkMaster, engine_called
from sfumato.cli.output import say, show_progress, tell, tell_json

if TYPE_CHECKING:
    from sfumato.certificates.auditing import Audit
    from sfumato.engines.spark import Engine as SparkEngine


def audit_command(
    samples: Annotated[
        Path | None,
        typer.Argument(help="Reports that a mechanism really made: columns input and output, and see --count."),
    ] = None,
    count: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="The column that says how often each pair was drawn.")
    ] = None,
    channel: Annotated[
        Path | None, typer.Option(help="Instead of samples: a channel file to draw from with Sfumato's own sampler.")
    ] = None,
    epsilon: Annotated[
        float | None, typer.Option(help="The claim to test, in nats. Default: the channel's own.")
    ] = None,
    draws: Annotated[int, typer.Option(min=1, help="How many reports to draw from --channel.")] = 1_000_000,
    failure: Annotated[float, typer.Option(help="Chance that any of the bounds is wrong.")] = 1e-6,
    insecure_seed: InsecureSeed = None,
    engine: Engine = EngineWord.ARROW,
    master: SparkMaster = None,
    json: Json = False,
) -> None:
    """Audit reports: a lower bound on ε that holds with confidence 1 - 1e-6, against the claimed ε.

    Exit code 0 when the claim is not contradicted, 1 when it is, 2 when the input cannot be used.

    Examples:

        sfumato audit reports.csv --epsilon 1.0

        sfumato audit counted.csv --count n --epsilon 1.0

        sfumato audit --channel channel.csv --draws 1000000
    """
    from sfumato.certificates.rendering import audit_text
    from sfumato.errors import InvalidParameter

    if (samples is None) == (channel is None):
        raise InvalidParameter(
            "or a `channel` to draw from is audited, one of the two", parameter="samples", way_out="Give one of them."
        )
    if samples is None and count is not None:
        raise InvalidParameter(
            "goes with a file of samples, not with `channel`", parameter="count", value=count, way_out="Leave it out."
        )
    result = (
        _audit_samples(samples, count, epsilon, failure, engine_called(engine, master))
        if samples is not None
        else _audit_channel(channel, epsilon, failure, draws, insecure_seed)
    )
    if json:
        tell_json(_as_json(result))
    else:
        tell(audit_text(result))
    if result.contradicts_claim:
        raise typer.Exit(1)


def _audit_samples(
    path: Path, count: str | None, epsilon: float | None, failure: float, engine: SparkEngine | None
) -> Audit:
    from sfumato.workflows.auditing import audit_samples

    return audit_samples(path, count=count, epsilon=epsilon, failure=failure, engine=engine)


def _audit_channel(path: Path | None, epsilon: float | None, failure: float, draws: int, seed: int | None) -> Audit:
    from sfumato.certificates.auditing import audit
    from sfumato.mechanisms.tabulated import Tabulated
    from sfumato.prob.channel_files import read_channel
    from sfumato.sampling.sources import BulkBits, InsecureSeeded

    mechanism = Tabulated(read_channel(path or Path()))
    bits = BulkBits() if seed is None else InsecureSeeded(seed)
    if seed is not None:
        say(bits.label)
    with show_progress("drawing", draws) as advance:
        return audit(mechanism, draws, claimed_epsilon=epsilon, failure=failure, bits=bits, progress=advance)


def _as_json(result: Audit) -> dict[str, object]:
    return {
        "schema": "sfumato/audit/1",
        "draws": result.draws,
        "epsilon_at_least": result.epsilon_at_least,
        "claimed_epsilon": result.claimed_epsilon,
        "confidence": result.confidence,
        "contradicts_claim": result.contradicts_claim,
        "pair": {"favoured": result.pair[0], "disfavoured": result.pair[1], "report": result.pair[2]},
        "bits": result.bits,
        "sentence": result.sentence,
    }
