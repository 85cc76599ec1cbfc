"""One public column of reports, and keys that sharpen it by degrees up to the answers themselves."""

import sfumato as sf

OCCUPATIONS = ("student", "farming", "office", "teaching", "managing", "professional")


def main() -> None:
    """Publish 3,000 answers at two levels; the ministry and the registrar open them, and everybody else does not."""
    answers = [i % 7 % len(OCCUPATIONS) for i in range(3000)]
    ladder = sf.Ladder.within(size=len(OCCUPATIONS), epsilons=[2.0, 0.5], recover=True)
    published = ladder.publish(answers)

    everybody = ladder.levels[-1]
    public = everybody.estimate(everybody.tally(published.reports))
    ministry = ladder.open(published.reports, published.keys[1])
    sharper = ministry.mechanism.estimate(ministry.mechanism.tally(ministry.reports))
    for place, occupation in enumerate(OCCUPATIONS):
        seen, shown = public.intervals[place], sharper.intervals[place]
        print(
            f"{occupation:13} public {seen.lower:.3f} to {seen.upper:.3f}   "
            f"ministry {shown.lower:.3f} to {shown.upper:.3f}"
        )

    recovered = ladder.recover(published.reports, published.keys[0])
    print(f"the registrar has every answer: {recovered.tolist() == answers}")


if __name__ == "__main__":
    main()
