"""The documentation is true: its Python runs, and its links lead somewhere."""

from __future__ import annotations

import ast
import asyncio
import inspect
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/**/*.md"),
        ROOT / "core/README.md",
        ROOT / "siteserver/README.md",
        ROOT / "devserver/README.md",
    ]
)
TOLD = [
    *sorted(ROOT.glob("docs/*.md")),
    *sorted(ROOT.glob("docs/*/*.md")),
    ROOT / "docs/reference/rules/README.md",
]
"""The pages of the documentation, but for those of single rules."""
FENCE = re.compile(r"^(?P<mark>`{3,})(\w*)\n(.*?)^(?P=mark)$", re.MULTILINE | re.DOTALL)


def blocks(language: str) -> list[pytest.ParameterSet]:
    """Return `(path, first line, code)` of every block of a language, named by its place."""
    found = []
    for path in PAGES:
        text = path.read_text(encoding="utf-8")
        for match in FENCE.finditer(text):
            if match[2] == language:
                line = text.count("\n", 0, match.start(3)) + 1
                place = f"{path.relative_to(ROOT).as_posix()}:{line}"
                found.append(pytest.param(path, line, match[3], id=place))
    return found


@pytest.mark.parametrize(("path", "line", "code"), blocks("python"))
def test_python_in_the_documentation_runs(
    path: Path, line: int, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each Python block runs by itself, in an empty folder; top-level await is allowed."""
    monkeypatch.chdir(tmp_path)
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    program = compile("\n" * (line - 1) + code, str(path), "exec", flags=flags, dont_inherit=True)
    if program.co_flags & inspect.CO_COROUTINE:
        asyncio.run(eval(program, {"__name__": "docs"}))
    else:
        exec(program, {"__name__": "docs"})


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_to_files(path: Path) -> None:
    """A relative link names a file that is there."""
    text = FENCE.sub("", path.read_text(encoding="utf-8"))
    targets = re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", text)

    assert [target for target in targets if not (path.parent / target).exists()] == []


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_to_headings(path: Path) -> None:
    """The fragment after `#` is a heading of the linked page, or of the same one."""
    text = FENCE.sub("", path.read_text(encoding="utf-8"))
    targets = re.findall(r"\]\((?!https?:|mailto:)([^)#\s]*)#([^)\s]+)\)", text)

    for name, anchor in targets:
        assert anchor in anchors(path.parent / name if name else path), f"{name}#{anchor}"


def anchors(path: Path) -> set[str]:
    """Return the names by which code hosts link to the headings of a page."""
    found: dict[str, int] = {}
    for heading in re.findall(
        r"^#{1,6} +(.+?)[ #]*$", FENCE.sub("", path.read_text(encoding="utf-8")), re.MULTILINE
    ):
        words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
        name = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        found[name] = found.get(name, -1) + 1
    return {f"{name}-{n}" if n else name for name, last in found.items() for n in range(last + 1)}


def test_every_page_can_be_reached() -> None:
    """By links, from the entrance of the documentation."""
    seen, ahead = set(), [ROOT / "docs/README.md"]
    while ahead:
        page = ahead.pop()
        if page in seen or page not in PAGES:
            continue
        seen.add(page)
        text = FENCE.sub("", page.read_text(encoding="utf-8"))
        targets = re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", text)
        ahead += [(page.parent / target).resolve() for target in targets]

    assert [page for page in PAGES if page.is_relative_to(ROOT / "docs") and page not in seen] == []


@pytest.mark.parametrize("path", TOLD, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_pages_begin_with_whom_they_serve(path: Path) -> None:
    """The sentence below the title begins with `For` and is a paragraph of its own."""
    sentence = path.read_text(encoding="utf-8").split("\n\n")[1]

    assert re.fullmatch(r"For [^\n]+\.", sentence)


def test_every_test_that_the_documentation_names_is_there() -> None:
    """A promise names the test that keeps it."""
    named = {
        name for path in PAGES for name in re.findall(r"`(test_\w+)`", path.read_text("utf-8"))
    }
    files = [path.read_text("utf-8") for path in (ROOT / "tests").rglob("test_*.py")]
    written = {name for text in files for name in re.findall(r"def (test_\w+)", text)}

    assert named - written == set()


ADVICE = [
    *PAGES,
    *(
        path
        for folder in (
            "core/webagent",
            "siteserver/webagent_site",
            "devserver/webagent_dev",
            "browser_bundle/src",
            "site_template",
        )
        for path in sorted((ROOT / folder).rglob("*.*"))
        if path.suffix in {".md", ".py", ".ts", ".js", ".html", ".toml", ".json"}
    ),
]
"""The documentation, and the sources of all messages."""

ASSIGNED = re.compile(r"\bglobal(?:\.[\w${}\[\].]+|\[[^\]\n]*\])\s*=(?![=>])")


def test_advice_defines_functions_where_every_browser_has_them() -> None:
    """`global.x = …` works only behind our `global.js`; the lines that name that file may say it."""
    lines = [
        f"{path.relative_to(ROOT)}: {line.strip()[:200]}"
        for path in ADVICE
        for line in path.read_text("utf-8").splitlines()
        if "global.js" not in line
        for _ in ASSIGNED.finditer(line)
    ]

    assert len(ADVICE) > 500
    assert lines == []


@pytest.mark.parametrize(
    ("line", "is_advice"),
    [
        ("define `global.search = …` in the page", True),
        ('f"define `global.{name} = …`"', True),
        ("global.search=async()=>1", True),
        ('global["search"] = search', True),
        ("globalThis.search = search", False),
        ("if (global.search === undefined)", False),
        ("await global.search(a = 1)", False),
    ],
)
def test_an_assignment_is_recognized(line: str, is_advice: bool) -> None:
    """However it is written; a comparison and a call do not count."""
    assert bool(ASSIGNED.search(line)) == is_advice
