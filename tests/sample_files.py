"""A study file that is read, and a study in which everything is said that a study can say."""

from fractions import Fraction

from sfumato.study import Analyst, Card, Count, FreeText, Goal, OneOfMany, Recoverable, Study, YesNo

GOOD = """schema = "sfumato/study/2"
name = "Marriage survey"
population = 6366

[public]
epsilon = 0.5

[registrar]
recover = true

[[analysts]]
name = "ministry"
epsilon = 2.0

[[analysts]]
name = "university"
epsilon = 1.0

[[questions]]
id = "affair"
text = "Have you had an affair?"
kind = "yes-no"

[[questions]]
id = "occupation"
text = "What is your occupation?"
kind = "one-of-many"
answers = ["student", "farming", "white-collar",
           "teacher", "managerial", "professional"]

[[questions]]
id = "children"
text = "How many children do you have?"
kind = "count"
highest = 6
points = 4

[[questions]]
id = "faith"
text = "Are you religious?"
kind = "yes-no"
guess_error = 0.375
max_epsilon = 2
"""

FULL = Study(
    name="All",
    population=10,
    public_epsilon=Fraction(1, 2),
    recover=True,
    analysts=(Analyst(name="a", epsilon=Fraction(2)),),
    questions=(
        YesNo(id="l", text="L?", epsilon=Fraction(1), goal=Goal(expected_share=Fraction(1, 5))),
        Card(
            id="c",
            text="C?",
            guess_error=Fraction(3, 8),
            weight=Fraction(2, 5),
            max_epsilon=Fraction(2),
            faces=100,
            goal=Goal(theta_1=Fraction(1, 10), theta_2=Fraction(1, 5), error=Fraction(1, 20)),
        ),
        OneOfMany(id="m", text="M?", answers=("x", "y", "z"), epsilon=Fraction(1), random_bits=Fraction(2)),
        Count(id="n", text="N?", lowest=0, highest=12, points=4, epsilon=Fraction(1)),
        FreeText(id="t", text="T?", longest=8, keep=20, epsilon=Fraction(1, 2)),
        Recoverable(id="r", text="R?", answers=("x", "y", "z"), tell=("u", "u", "v"), rho=Fraction(3, 4)),
    ),
)
