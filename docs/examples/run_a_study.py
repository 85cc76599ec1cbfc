"""A study from its file to its estimates: plan it, publish reports and keys, open them with a key, estimate."""

from pathlib import Path

import sfumato as sf

STUDY = """\
schema = "sfumato/study/2"
name = "Commuting"

[public]
epsilon = 1

[[analysts]]
name = "ministry"
epsilon = 3

[registrar]
recover = true

[[questions]]
id = "way"
text = "How do you get to work?"
kind = "one-of-many"
answers = ["walking", "bicycle", "train", "car"]
"""
ANSWERS = ("walking", "bicycle", "car", "car", "train")


def main() -> None:
    """Run the study in the folder at hand."""
    Path("study.toml").write_text(STUDY, encoding="utf-8")
    Path("answers.csv").write_text("way\n" + "\n".join(ANSWERS * 400) + "\n", encoding="utf-8")

    study = sf.read_study("study.toml")
    for planned in sf.plan(study).questions:
        print(f"{planned.question.id}: {planned.question.text}")

    published = sf.publish("study.toml", "answers.csv")  # and beside the study, releases.json remembers it
    opened = sf.open_reports(published.reports, published.keys["way"][1])  # level 1 is the sharpest: the ministry's
    for reader, reports in (("everybody", published.reports), ("the ministry", opened)):
        for found in sf.estimate_reports(reports):
            for answer, share, interval in zip(found.labels, found.shares, found.intervals, strict=True):
                print(f"{reader} sees {answer}: {share:.3f}, from {interval.lower:.3f} to {interval.upper:.3f}")

    back = sf.recover_answers(published.reports, published.keys["way"][0])  # level 0 is the registrar's
    print(f"the registrar has {back.num_rows} answers back")


if __name__ == "__main__":
    main()
