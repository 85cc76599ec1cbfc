"""The one-parameter designs that the tests of inference go through."""

from sfumato.surveys import survey, unrelated_question, warner

TWO_CLASSES = {
    "two outputs": survey(delta=0.25, outputs=2, theta=0.1),
    "Warner": warner(delta=0.25),
    "Warner, weaker": warner(delta=0.6),
    "unrelated question": unrelated_question(delta=0.25, eta=0.3),
    "binary randomised response": survey(delta=0.25, max_epsilon=0.4),
}
THREE_CLASSES = {
    "three outputs": survey(delta=0.25),
    "three outputs, uneven": survey(delta=0.25, weight=0.4),
    "both limits": survey(delta=0.25, max_epsilon=1.0),
    "both limits, uneven": survey(delta=0.4, weight=0.4, max_epsilon=2.0),
}
DESIGNS = TWO_CLASSES | THREE_CLASSES
