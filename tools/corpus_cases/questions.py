"""Small worked examples of questions, with every number in full."""

from fractions import Fraction

import sfumato as sf
from corpus_cases.record import case


@case("questions/analyst (kind)")
def _analyst_kind() -> object:
    noted: list[object] = []
    noted.append(sf.Analyst(name="ministry", epsilon=Fraction(2)).name)
    return noted


@case("questions/ask if (kind)")
def _ask_if_kind() -> object:
    noted: list[object] = []
    smokers = sf.study.AskIf(question="smokes", answers=("yes",))
    asked = sf.Count(id="a_day", text="How many a day?", highest=60, epsilon=Fraction(2), ask_if=smokers)
    noted.append(asked.ask_if.source)
    return noted


@case("questions/audience (kind)")
def _audience_kind() -> object:
    noted: list[object] = []
    asked = sf.YesNo(id="tired", text="Tired?")
    press = sf.Analyst(name="press", epsilon=Fraction(2))
    study = sf.Study(name="Rest", questions=(asked,), public_epsilon=Fraction(1), analysts=(press,), recover=True)
    noted.append(study.audience == sf.study.Audience(public_epsilon=Fraction(1), analysts=(press,), recover=True))
    noted.append([epsilon for epsilon in asked.handler(study.audience).epsilons])
    return noted


@case("questions/bounded number (kind)")
def _bounded_number_kind() -> object:
    noted: list[object] = []
    wage = sf.BoundedNumber(
        id="wage", text="Hourly wage?", highest=Fraction(40), step=Fraction(1, 100), goal="distribution", points=4
    )
    noted.append(wage.labels)
    return noted


@case("questions/card (kind)")
def _card_kind() -> object:
    noted: list[object] = []
    noted.append(sf.Card(id="drugs", text="Have you taken drugs?", guess_error=Fraction(3, 8)).kind)
    return noted


@case("questions/collect terms (kind)")
def _collect_terms_kind() -> object:
    noted: list[object] = []
    noted.append(sf.study.CollectTerms(mode="panel").mode.value)
    return noted


@case("questions/count (kind)")
def _count_kind() -> object:
    noted: list[object] = []
    noted.append(
        sf.Count(id="rooms", text="How many rooms?", lowest=1, highest=9, points=5, epsilon=Fraction(2)).labels
    )
    return noted


@case("questions/disclosed columns (kind)")
def _disclosed_columns_kind() -> object:
    noted: list[object] = []
    columns = sf.study.DisclosedColumns(protect=("age", "income"), about="region")
    noted.append(columns.columns)
    study = sf.Study(
        name="Rest", questions=(sf.YesNo(id="tired", text="Tired?", epsilon=Fraction(1)),), disclosure=columns
    )
    noted.append(study.disclosure.protect)
    return noted


@case("questions/free text (kind)")
def _free_text_kind() -> object:
    noted: list[object] = []
    noted.append(sf.FreeText(id="town", text="Where do you live?", longest=12, epsilon=Fraction(4)).kind)
    return noted


@case("questions/goal (kind)")
def _goal_kind() -> object:
    noted: list[object] = []
    goal = sf.study.Goal(expected_share=Fraction(1, 10), half_width=Fraction(3, 100))
    asked = sf.YesNo(id="tired", text="Tired?", epsilon=Fraction(1), goal=goal)
    noted.append(asked.goal.words("yes"))
    noted.append(sf.study.Goal(theta_1=Fraction(1, 10), theta_2=Fraction(1, 5)).words("yes"))
    return noted


@case("questions/large list (kind)")
def _large_list_kind() -> object:
    noted: list[object] = []
    codes = [f"A{number:02}" for number in range(100)]
    noted.append(sf.LargeList(id="disease", text="What is your diagnosis?", dictionary=codes).kind)
    return noted


@case("questions/listed card (kind)")
def _listed_card_kind() -> object:
    noted: list[object] = []
    asked = sf.ListedCard(id="way", text="How?", answers=("train", "car", "foot"), guess_error=Fraction(1, 2))
    noted.append((asked.kind, asked.design().name))
    return noted


@case("questions/missing (kind)")
def _missing_kind() -> object:
    noted: list[object] = []
    hidden = sf.study.Missing.HIDDEN
    asked = sf.OneOfMany(id="way", text="How?", answers=("train", "car"), epsilon=Fraction(1), missing=hidden)
    noted.append((asked.labels, asked.hides))
    return noted


@case("questions/one of many (kind)")
def _one_of_many_kind() -> object:
    noted: list[object] = []
    noted.append(sf.OneOfMany(id="way", text="How do you get to work?", answers=("train", "car", "on foot")).kind)
    return noted


@case("questions/ordered (kind)")
def _ordered_kind() -> object:
    noted: list[object] = []
    noted.append(
        sf.Ordered(id="tired", text="How often are you tired?", answers=("never", "at times", "always")).values
    )
    return noted


@case("questions/quantity (kind)")
def _quantity_kind() -> object:
    noted: list[object] = []
    hours = sf.BoundedNumber(id="hours", text="Hours of sleep?", lowest=0, highest=10, epsilon=Fraction(2))
    made = sf.publish(sf.Study(name="Rest", questions=(hours,)), {"hours": [6, 8] * 500}, insecure_seed=7)
    mean = sf.estimate_reports(made.reports)[0].mean
    noted.append((mean.name, mean.value, mean.interval.lower, mean.interval.upper))
    noted.append(mean.within)
    return noted


@case("questions/question (kind)")
def _question_kind() -> object:
    noted: list[object] = []
    scale = ("poor", "fair", "good")
    asked: sf.study.Question = sf.Ordered(id="health", text="Health?", answers=scale, epsilon=Fraction(1))
    noted.append((asked.kind, asked.labels, asked.usual_model, asked.hides))
    return noted


@case("questions/question estimate (kind)")
def _question_estimate_kind() -> object:
    noted: list[object] = []
    study = sf.Study(name="Rest", questions=(sf.YesNo(id="tired", text="Tired?", epsilon=Fraction(1)),))
    made = sf.publish(study, {"tired": ["no", "yes"] * 500}, insecure_seed=7)
    (found,) = sf.estimate_reports(made.reports)
    noted.append((found.labels, [share for share in found.shares], found.total))
    noted.append((found.intervals[1].lower, found.intervals[1].upper, found.method))
    return noted


@case("questions/question plan (kind)")
def _question_plan_kind() -> object:
    noted: list[object] = []
    study = sf.Study(name="Rest", questions=(sf.YesNo(id="tired", text="Tired?", epsilon=Fraction(1)),))
    (planned,) = sf.plan(study).questions
    noted.append(planned.because)
    noted.append((planned.tables[0].header[3], planned.tables[0].rows[0][3], planned.readers_of(1)))
    return noted


@case("questions/recoverable (kind)")
def _recoverable_kind() -> object:
    noted: list[object] = []
    told = sf.Recoverable(
        id="blood", text="Blood group?", answers=("0", "A", "B"), tell=("gives to all", "no", "no"), rho=Fraction(9, 10)
    )
    noted.append(told.labels)
    return noted


@case("questions/several (kind)")
def _several_kind() -> object:
    noted: list[object] = []
    noted.append(sf.Several(id="ways", text="How do you get about?", options=("bus", "car", "bicycle")).labels)
    return noted


@case("questions/study (kind)")
def _study_kind() -> object:
    noted: list[object] = []
    study = sf.Study(
        name="Commuting",
        questions=(sf.OneOfMany(id="way", text="How do you commute?", answers=("train", "car", "on foot")),),
        analysts=(sf.Analyst(name="ministry", epsilon=Fraction(3)),),
        public_epsilon=Fraction(1),
    )
    noted.append(study.question("way").labels)
    return noted


@case("questions/way (kind)")
def _way_kind() -> object:
    noted: list[object] = []
    study = sf.Study(name="Rest", questions=(sf.YesNo(id="tired", text="Tired?", epsilon=Fraction(1)),))
    way: sf.study.Handler = study.handler("tired")
    noted.append((way.levels[0].readers, way.report_labels, [float(p) for p in way.channel(1).rows[0]]))
    return noted


@case("questions/yes no (kind)")
def _yes_no_kind() -> object:
    noted: list[object] = []
    noted.append(sf.YesNo(id="tired", text="Did you work unpaid tired?", epsilon=Fraction(1)).labels)
    return noted


@case("questions/fingerprint")
def _fingerprint() -> object:
    noted: list[object] = []
    study = sf.Study(name="Rest", questions=(sf.YesNo(id="tired", text="Tired?", epsilon=Fraction(1)),))
    other = sf.Study(name="Rest", questions=(sf.YesNo(id="tired", text="Tired?", epsilon=Fraction(2)),))
    noted.append((len(sf.study.fingerprint(study)), sf.study.fingerprint(study) == sf.study.fingerprint(other)))
    return noted
