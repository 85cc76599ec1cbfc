"""The ledger by itself: made, debited, read."""

from fractions import Fraction

from cli.twice.cases import Case, both
from sfumato.errors import BudgetSpent, InvalidParameter, UnreadableFile
from sfumato.ledger import Kind, Ledger, information, local
from sfumato.workflows.budget import new_ledger, pay_for, read_ledger, void_debit


def nothing(folder):
    assert not list(folder.iterdir())


def bits(folder):
    Ledger.create(folder / "budget", budget_bits=1)


def paid_once(folder):
    bits(folder)
    pay_for(folder / "budget", information("Mean income", Fraction(1, 2)), release_id="income")


def epsilons(folder):
    Ledger.create(folder / "budget", epsilon=Fraction(3, 2))
    pay_for(folder / "budget", local("South", 1, people="South"))


SPEND = "budget spend budget --title Income --budget-bits"
BUDGETING = [
    Case(
        name="a ledger is made", prepare=nothing,
        command="budget init budget --budget-bits 2 --epsilon 1/3",
        call=lambda: new_ledger("budget", budget_bits=2, epsilon=Fraction(1, 3)),
    ),
    Case(
        name="a ledger is never overwritten", prepare=paid_once, debits=(Kind.INFORMATION,),
        command="budget init budget --budget-bits 2", call=lambda: new_ledger("budget", budget_bits=2),
        refusal=InvalidParameter, words="never overwritten",
    ),
    Case(
        name="a ledger needs a limit", prepare=nothing,
        command="budget init budget", call=lambda: new_ledger("budget"), refusal=InvalidParameter, words="limit",
    ),
    Case(
        name="a limit is positive", prepare=nothing,
        command="budget init budget --budget-bits 0", call=lambda: new_ledger("budget", budget_bits=0),
        refusal=InvalidParameter, words="budget_bits=0 must be a positive finite number",
    ),
    Case(
        name="a ledger in a folder that is not there", prepare=nothing,
        command="budget init no/budget --budget-bits 1", call=lambda: new_ledger("no/budget", budget_bits=1),
        refusal=InvalidParameter, words="lies in a folder that does not exist",
    ),
    Case(
        name="limits for each period", prepare=nothing,
        command="budget init budget --epsilon 3 --per quarter --epsilon-per-period 1/3",
        call=lambda: new_ledger("budget", epsilon=3, per="quarter", epsilon_per_period=Fraction(1, 3)),
    ),
    Case(
        name="a period that is none", prepare=nothing,
        command="budget init budget --epsilon 3 --per week --epsilon-per-period 1",
        call=lambda: new_ledger("budget", epsilon=3, per="week", epsilon_per_period=1),
        refusal=InvalidParameter, words="must be one of month, quarter, year",
    ),
    Case(
        name="people are named", prepare=epsilons, debits=(Kind.LOCAL, Kind.LOCAL),
        command="budget spend budget --title North --epsilon 1 --people North",
        call=lambda: pay_for("budget", local("North", 1, people="North")),
    ),
    Case(
        name="the same people pay twice", prepare=epsilons, debits=(Kind.LOCAL,),
        command="budget spend budget --title More --epsilon 1 --people south",
        call=lambda: pay_for("budget", local("More", 1, people="south")),
        refusal=BudgetSpent, words="by the people called 'south': it asks for 1 nat of ε, and 0.5 of 1.5 are left",
    ),
    Case(
        name="what was made by other means is not voided", prepare=paid_once, debits=(Kind.INFORMATION,),
        command="budget void budget 1 --out reports.csv", call=lambda: void_debit("budget", 1, out="reports.csv"),
        refusal=InvalidParameter, words="nobody can prove",
    ),
    Case(
        name="spend", prepare=bits, debits=(Kind.INFORMATION,),
        command=f"{SPEND} 1/2", call=lambda: pay_for("budget", information("Income", Fraction(1, 2))),
    ),
    Case(
        name="spend and note the release", prepare=bits, debits=(Kind.INFORMATION,),
        command=f"{SPEND} 1/2 --released",
        call=lambda: pay_for("budget", information("Income", Fraction(1, 2)), released=True),
    ),
    Case(
        name="the same id is debited once", prepare=both(
            bits, lambda folder: pay_for(folder / "budget", information("Income", Fraction(1, 2)), release_id="one")
        ),
        debits=(Kind.INFORMATION,),
        command=f"{SPEND} 1/2 --id one",
        call=lambda: pay_for("budget", information("Income", Fraction(1, 2)), release_id="one"),
    ),
    Case(
        name="the same id for something else", prepare=both(
            bits, lambda folder: pay_for(folder / "budget", information("Income", Fraction(1, 2)), release_id="one")
        ),
        debits=(Kind.INFORMATION,),
        command=f"{SPEND} 1/3 --id one",
        call=lambda: pay_for("budget", information("Income", Fraction(1, 3)), release_id="one"),
        refusal=InvalidParameter, words="one",
    ),
    Case(
        name="spend more than there is", prepare=paid_once, debits=(Kind.INFORMATION,),
        command=f"{SPEND} 0.6", call=lambda: pay_for("budget", information("Income", Fraction(6, 10))),
        refusal=BudgetSpent, words="it asks for 0.6 bits, and 0.5 of 1 are left",
    ),
    Case(
        name="spend from no ledger", prepare=nothing,
        command=f"{SPEND} 1", call=lambda: pay_for("budget", information("Income", 1)),
        refusal=UnreadableFile, words="does not exist",
    ),
    Case(
        name="show", prepare=paid_once, debits=(Kind.INFORMATION,),
        command="budget show budget", call=lambda: read_ledger("budget"),
    ),
    Case(
        name="show what is not there", prepare=nothing,
        command="budget show budget", call=lambda: read_ledger("budget"),
        refusal=UnreadableFile, words="does not exist",
    ),
    Case(
        name="show what is no ledger", prepare=lambda folder: (folder / "list.csv").write_text("name\nJane\n" * 500),
        command="budget show list.csv", call=lambda: read_ledger("list.csv"),
        refusal=UnreadableFile, words="is not a ledger",
    ),
]  # fmt: skip
