"""Reading the page: its code samples, outlines, forms, tables, and what it is about."""

from __future__ import annotations

from webagent.agent.actions.base import PageAction, define

_ELEMENT = {"type": "integer", "description": "Number of an element in the latest snapshot."}

LOOKING = (
    PageAction(
        define(
            "find_code",
            "Find code samples on the page: a list of {title, language, code}.",
            title={"type": "string", "description": "Words of the heading above."},
            selector={"type": "string", "description": "CSS selector of where to look."},
        ),
        "find_code",
    ),
    PageAction(
        define("navigation_outline", "Outline the navigation: a tree of {text, url, current}."),
        "navigation_outline",
    ),
    PageAction(
        define(
            "section_outline",
            "Outline the page by its headings: a tree of {level, heading, text, pp_ids}.",
            max_text={
                "type": "integer",
                "minimum": 0,
                "maximum": 20_000,
                "description": "Characters of text per section; 200 if left out.",
            },
        ),
        "section_outline",
    ),
    PageAction(
        define("form_details", "Describe the forms of the page and their fields.", pp_id=_ELEMENT),
        "form_details",
    ),
    PageAction(
        define(
            "table_details", "Read the tables: a list of {caption, headers, rows}.", pp_id=_ELEMENT
        ),
        "table_details",
    ),
    PageAction(
        define("get_summary", "Tell what kind of page this is: headings, facts, what can be done."),
        "summary",
    ),
)
"""Actions that only read what the page shows."""
