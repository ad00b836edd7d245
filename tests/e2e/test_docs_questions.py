"""Questions of readers to the agent of the documentation, on the site that `make docs` has built."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pytest
from playwright.async_api import Page

from tests.e2e.static_host import StaticHost
from tests.e2e.test_docs_site import BUILT, VERSION
from webagent import AgentClient
from webagent.agent import Driver
from webagent.page.playwright.page import PlaywrightPage
from webagent.registry import ToolRegistry

pytestmark = pytest.mark.conformance

Verdict = Literal["right", "near", "wrong", "short"]

WRITTEN_FIRST = {
    "How do I publish my site?": r"how-to/(site|going-live|cdn)/",
    "What is code mode?": r"understand/code-mode/",
    "How do I test a tool?": r"how-to/(test|pytest)/|learn/tutorial/",
    "Which browsers work?": r"reference/browsers/|learn/faq/#which-browsers",
    "Can I use it with Django?": r"how-to/(frameworks|going-live)/#django|examples/django/",
    "What does the rule wrong-arity mean?": r"rules/wrong-arity/",
    "How big is the bundle?": r"understand/bundle/",
    "Is there an extension for VS Code?": r"how-to/editor/#visual-studio-code",
    "How do I use a local model?": r"how-to/models/|reference/models/",
    "What is a manifest?": r"reference/(format|glossary|discovery)/|learn/",
    "How do I add it to a React app?": r"how-to/(frameworks|front-ends|javascript)/|learn/which-way/",
    "Where is the key of the model?": r"models/|understand/privacy/",
    "Was ist Code mode?": r"understand/code-mode/",
    "Who won the world cup in 2014?": "",
    "What is the weather in Oslo?": "",
}
"""Questions with the pages that answer them; nothing, where no page does. By these the agent was made."""
WRITTEN_APART = {
    "How do I install it?": r"how-to/install/|learn/tutorial/#1-install",
    "What is a policy?": r"reference/policy/",
    "Can I use it with Vite?": r"how-to/(front-ends|frameworks|javascript|site|see-errors)/|learn/",
    "What does result-mismatch mean?": r"rules/result-mismatch/",
    "How does the planner work?": r"understand/planner/",
    "How do I change the colours of the panel?": r"how-to/panel/",
    "Where are conversations stored?": r"how-to/panel/|understand/privacy/",
    "How do I evaluate my tools?": r"how-to/evaluate/|reference/evaluations/",
    "Which versions of Python are supported?": r"how-to/install/|reference/compatibility/",
    "How do I call a tool in the terminal?": r"how-to/terminal/|reference/commands/",
    "How do I run it behind a proxy?": r"how-to/(proxy|going-live)/",
    "Does the agent need my approval?": r"reference/policy/",
    "Wie teste ich eine Website?": r"how-to/test/",
    "How do I bake bread without yeast?": "",
}
"""Questions that were asked for the first time when all was done."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer of the agent."""

    question: str
    text: str
    verdict: Verdict
    urls: Sequence[str]


async def ask(page: Page, url: str, questions: dict[str, str]) -> list[Answer]:
    """Return the answers of the agent outside of an open page of the documentation."""
    found = []
    async with AgentClient() as client:
        manifest = await client.detect(url)
        assert manifest is not None
        await page.goto(url)
        port = PlaywrightPage(page)
        registry = ToolRegistry(port)
        await registry.bind(manifest)
        for question, pages in questions.items():
            result = await Driver(port, registry).run(question)
            urls = [each["url"] for each in _sections(result.data)]
            # Where the agent is not sure, it gives several sections.
            is_answer = result.ok and isinstance(result.data, dict)
            found.append(Answer(question, result.text, _verdict(is_answer, urls, pages), urls))
        await port.close()
    return found


def _sections(data: Any) -> list[dict[str, Any]]:
    return data if isinstance(data, list) else [data] if isinstance(data, dict) else []


def _verdict(is_answer: bool, urls: Sequence[str], pages: str) -> Verdict:
    if not pages:
        return "wrong" if is_answer else "right"
    fits = any(re.search(pages, url) for url in urls)
    return ("right" if fits else "wrong") if is_answer else ("near" if fits else "short")


@pytest.mark.parametrize(
    ("questions", "right", "wrong"), [(WRITTEN_FIRST, 10, 0), (WRITTEN_APART, 7, 3)]
)
async def test_questions_are_answered_from_the_right_page(
    page: Page, questions: dict[str, str], right: int, wrong: int
) -> None:
    """Most of them; where the agent is not sure, it says so and names the nearest sections."""
    with StaticHost(BUILT) as host:
        answers = await ask(page, f"{host.url}/{VERSION}/learn/faq/", questions)
    table = "\n".join(f"{a.verdict:5} {a.question} {a.text[:160]!r} {[*a.urls]}" for a in answers)
    counts = Counter(each.verdict for each in answers)
    assert counts["right"] >= right, table
    assert counts["wrong"] <= wrong, table
    assert all(len(each.text) < 600 for each in answers), table
