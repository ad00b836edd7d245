"""The reference is what the code says."""

from __future__ import annotations

import re
from pathlib import Path

from tests.reference.pages import pages, written
from tests.reference.typescript import script_attributes
from webagent import errors
from webagent.errors import ToolError
from webagent_site import WebAgent

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "browser_bundle" / "src"


def test_the_pages_are_in_step_with_the_code() -> None:
    """`python -m tests.reference.pages` writes what is in `docs/reference`."""
    assert written() == pages()


def test_every_attribute_of_the_script_tag_is_documented() -> None:
    """`docs/reference/page.md` has a row for each that the page's script reads, and for no other."""
    read = script_attributes(_source("page/options.ts"))

    assert sorted(_rows("data-")) == sorted(read)


def test_every_event_is_documented() -> None:
    """`docs/reference/page.md` has a row for each that the page's agent or Python dispatches."""
    python = (ROOT / "core" / "webagent" / "inpage.py").read_text("utf-8")
    told = set(re.findall(r'#emit\("(\w+)"', _source("page/webagent.ts"))) | set(
        re.findall(r'\.emit\("(\w+)"', python)
    )

    assert told == {name for name in _rows("") if name in told}


def test_the_documented_calls_exist() -> None:
    """Each `webagent.name(…)` is a method of the page's agent, what it is derived from, or `WebAgent`."""
    texts = [path.read_text("utf-8") for path in (ROOT / "docs").rglob("*.md")]
    called = {name for text in texts for name in re.findall(r"(?<![.\w])webagent\.(\w+)\(", text)}
    methods = re.findall(r"^  (?:async )?(\w+)\(", _source("page/webagent.ts"), re.MULTILINE)

    assert called
    assert called - set(methods) - set(dir(WebAgent)) == {"addEventListener"}


def test_page_and_python_have_the_same_kinds_of_errors() -> None:
    """Those of calls from outside, where no page may be open, are in Python alone."""
    written = re.search(r"const KINDS = \[(.*?)\]", _source("base/errors.ts"), re.DOTALL)
    assert written
    python = {
        each.kind
        for each in vars(errors).values()
        if isinstance(each, type) and issubclass(each, ToolError)
    }

    assert set(re.findall(r'"(\w+)"', written[1])) == python - {"no_page", "server_stopped"}


def _rows(prefix: str) -> list[str]:
    page = (ROOT / "docs" / "reference" / "page.md").read_text("utf-8")
    return re.findall(rf"^\| `{prefix}([\w-]+)` \|", page, re.MULTILINE)


def _source(name: str) -> str:
    return (SOURCES / name).read_text("utf-8")
