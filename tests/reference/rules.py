"""The pages of the rules, from the table in `webagent.rules`."""

from __future__ import annotations

from webagent.rules import RULES, index_page, page

FOR = "For those who know the name of a rule, and want to know what it is about."


def pages() -> dict[str, str]:
    """Return the text of each page by the name of its file."""
    title, rest = index_page().split("\n\n", 1)
    index = f"{title}\n\n{FOR}\n\n{rest}"
    return {"README.md": index} | {f"{name}.md": page(RULES[name]) for name in RULES}
