"""Candidates for a word of the command line: tools, parameters, rules, open pages, sessions, cases.

A shell inserts a candidate as it is, so only plain words are offered: a page may give its tools any
name, and `$(…)` would run once the line is entered. Nothing is fetched from a network, and nobody
waits for a page that is busy.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from webagent_site.config.urls import MANIFEST_NAME
from webagent_site.errors import UsageError

if TYPE_CHECKING:
    from webagent_dev.browser.open_pages import Running

Candidates = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]

_PLAIN = re.compile(r"\w[\w-]*", re.ASCII)
_WORDS = re.compile(r"\w[\w -]*", re.ASCII)
"""A name of several words, whose spaces the scripts of the shells escape."""
_LONGEST_HELP = 80


def folders(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Let the shell complete the path of a folder."""
    return [CompletionItem(incomplete, type="dir")]


def files(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Let the shell complete the path of a file or a folder."""
    return [CompletionItem(incomplete, type="file")]


def rules(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer the names of rules, also after a comma."""
    from webagent.rules import RULES
    from webagent_dev.config.live_rules import LIVE_RULES

    before, comma, begun = incomplete.rpartition(",")
    known = RULES | LIVE_RULES
    return _offer(before + comma, begun, ((one.name, one.what) for one in known.values()))


def tools(context: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer the tools of the manifest and of the open pages."""
    known = _tools(_site(context))
    return _offer("", incomplete, ((name, about) for name, (about, _) in known.items()))


def arguments(context: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer the parameters that the tool takes and that are not given yet, each with its `=`."""
    params = _tools(_site(context)).get(context.params.get("tool") or "", ("", ()))[1]
    # Bash gives `limit=3` as three words.
    given = {word.partition("=")[0] for word in context.params.get("arguments") or ()}
    found = _offer("", incomplete, ((name, "") for name in params if name not in given))
    return [CompletionItem(f"{item.value}=") for item in found]


def tabs(context: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer the ids of the open pages."""
    running = _running(_site(context))
    pages = running.pages if running else []
    return _offer("", incomplete, ((page["page_id"], page["url"]) for page in pages))


def sessions(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer the names of the sessions that are kept."""
    from webagent_dev.config.saved_sessions import session_names

    return _offer("", incomplete, ((name, "") for name in session_names()))


def case_names(context: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer the names of the cases in the file that was typed before."""
    from webagent_dev.evals.case_file import MOST_BYTES, read_cases

    try:
        with Path(_first_argument(context, "cases")).open("rb") as file:
            cases = read_cases(file.read(MOST_BYTES + 1), "")
    except (OSError, UsageError):
        return []
    known = ((case.name, case.goal) for case in cases)
    return _offer("", incomplete, known, pattern=_WORDS)


def _site(context: click.Context) -> str:
    site = context.params.get("site") or "."
    return _first_argument(context, "target") or site if "target" in context.params else site


def _first_argument(context: click.Context, name: str) -> str:
    # Where the line ends with an option, click has not read the arguments before it.
    return str(context.params.get(name) or next(iter(context.args), ""))


def _running(site: str) -> Running | None:
    import asyncio

    from webagent_dev.browser.open_pages import running_for

    return asyncio.run(running_for(site))


def _tools(site: str) -> dict[str, tuple[str, Iterable[str]]]:
    """Return the description and the parameters of each tool, by its name."""
    found: dict[str, tuple[str, Iterable[str]]] = {}
    path = Path(site)
    try:
        text = (path / MANIFEST_NAME if path.is_dir() else path).read_text("utf-8", "replace")
    except (OSError, ValueError):
        text = ""
    if text:
        from webagent import parse

        for tool in parse(text).tools:
            found[tool.name] = tool.description, [param.name for param in tool.params]
    running = _running(site)
    for page in running.pages if running else ():
        for one in page["tools"]:
            # The list is the page's: only the name of a tool is certain to be there.
            params = [str(param.get("name")) for param in one.get("params") or ()]
            found.setdefault(one["name"], (str(one.get("description", "")), params))
    return found


def _offer(
    before: str,
    begun: str,
    known: Iterable[tuple[Any, str]],
    pattern: re.Pattern[str] = _PLAIN,
) -> list[CompletionItem]:
    def candidates() -> Iterator[CompletionItem]:
        for name, about in known:
            if name.startswith(begun) and pattern.fullmatch(name):
                yield CompletionItem(before + name, help=_one_line(about))

    return list(candidates())


def _one_line(text: str) -> str | None:
    """Return the beginning of a text, without what would end a line of the shell's."""
    return " ".join(re.sub(r"[\x00-\x1f\x7f-\x9f]", " ", text).split())[:_LONGEST_HELP] or None
