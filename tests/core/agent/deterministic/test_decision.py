"""Whether a call is meant: what speaks for and against it, and words that say nothing of it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from tests.core.agent.deterministic.harness import NOW, bindings_from

from webagent.agent.deterministic.candidates.decision import decision_features, form_features
from webagent.agent.deterministic.candidates.ranking import Ranking
from webagent.agent.deterministic.candidates.sentence import Sentence
from webagent.agent.deterministic.candidates.signatures import tools_of

_TEXT = {"type": "string"}


def _tool(name: str, description: str, reads: bool, needed: str = "", **given: Any) -> dict[str, Any]:  # fmt: skip
    schema = {"type": "object", "required": needed.split(), "properties": given}
    return {"name": name, "description": description, "inputSchema": schema, "annotations": {"readOnlyHint": reads}}  # fmt: skip


_TOOLS = tools_of(
    bindings_from(
        [
            _tool("listRepairs", "All repairs of the workshop.", True),
            _tool("findClocks", "Search the clocks by words.", True, "query", query=_TEXT),
            _tool("setUrgency", "Set how urgent a repair is.", False, "repairId urgency", repairId=_TEXT, urgency={"type": "string", "enum": ["low", "urgent"]}),
            _tool("cancelRepair", "Cancel a repair.", False, "repairId", repairId=_TEXT),
            _tool("orderPart", "Order a part.", False, "part", part=_TEXT, count={"type": "number"}),
            _tool("moveRepair", "Change the day of a repair.", False, "repairId day", repairId=_TEXT, day={"type": "string", "format": "date"}),
        ]
    )
)  # fmt: skip


def _features(goal: str, first: str = "", end: str = "") -> tuple[str, dict[str, float]]:
    """Return the best tool for a goal, or for its words from one up to another, and its features."""
    ranking = Ranking(_TOOLS)
    sentence = ranking.mended(Sentence.read(goal, datetime.fromisoformat(NOW)))
    words = [token.text for token in sentence.tokens]
    part = words.index(first) if first else 0, words.index(end) if end else len(words)
    found = ranking.candidates(sentence, *part)
    return found[0].tool.name, decision_features(sentence, found, form_features(sentence, *part))


@pytest.mark.parametrize(
    ("feature", "said", "unsaid"),
    [
        ("asks_for_all", "what repairs are there?", "list the repairs"),
        ("things_left", "list the repairs for the mayor", "list the repairs"),
        ("told_lookup", "low urgency", "make the repair urgent"),
        ("writes_denied", "cancel repair 4711… no, not yet", "cancel repair 4711"),
        ("writes_fits", "cancel repair 4711", "list the repairs"),
        ("said", "cancel repair 4711", "urgent"),
        ("by_values", "4711, urgent", "cancel repair 4711"),
        ("own_texts", "find clocks", "find sundials"),
        ("soft_options", "order part P-12, 3 of it", "order part P-12"),
        ("call_names_left", "cancel repair 4711 of Ada Byron", "cancel repair 4711"),
        ("rival", "cancel repair 4711", "move repair 4711 to 24 December 2026"),
    ],
)
def test_a_feature_is_there_where_it_says_something(feature: str, said: str, unsaid: str) -> None:
    assert _features(said)[1][feature] > 0, _features(said)
    assert _features(unsaid)[1][feature] == 0, _features(unsaid)


def test_words_beside_a_request_may_only_tell() -> None:
    goal = "my clock broke, cancel repair 4711"
    assert _features(goal, end=",")[1]["told_beside"] == 1
    assert _features(goal, first="cancel")[1]["told_beside"] == 0
    assert _features("my clock broke")[1]["told_beside"] == 0


def test_a_call_that_is_filled_and_needs_no_search_is_likelier() -> None:
    tool, filled = _features("cancel repair 4711")
    assert (tool, filled["call_filled"], filled["call_looked_up"]) == ("cancelRepair", 1, 0)
    tool, named = _features("move the gasket to 24 December 2026")
    assert (tool, named["call_filled"], named["call_looked_up"]) == ("moveRepair", 1, 1)
    assert _features("low urgency")[1]["call_filled"] == 0.5


@pytest.mark.parametrize(
    ("goal", "word"),
    [
        ("it is quite long", "quite"),
        ("the handle is fairly new", "fairly"),
        ("unfortunately I have to cancel it", "unfortunately"),
        ("das ist ziemlich laut", "ziemlich"),
        ("leider muss ich absagen", "leider"),
        ("malheureusement je ne peux pas venir", "malheureusement"),
        ("lamentablemente no puedo ir", "lamentablemente"),
    ],
)
def test_adverbs_of_degree_and_regret_ask_for_nothing(goal: str, word: str) -> None:
    """`quite` is no form of `quit`, and nothing looks for `unfortunately`."""
    sentence = Sentence.read(goal, datetime.fromisoformat(NOW))
    at = next(i for i, token in enumerate(sentence.tokens) if token.low == word)
    assert not sentence.weights[at]
    assert not sentence.verbs[at]
