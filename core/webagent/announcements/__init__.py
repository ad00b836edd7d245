"""The announcements of a site: files for agents that do not look for a manifest, and their names."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, get_args

Announcement = Literal["llms.txt", "ai-catalog", "agent-skills", "markdown"]
"""`markdown` stands for the pages themselves, as Markdown."""

ANNOUNCEMENTS: tuple[Announcement, ...] = get_args(Announcement)

LLMS_TXT = "llms.txt"
AI_CATALOG = ".well-known/ai-catalog.json"
SKILLS_FOLDER = ".well-known/agent-skills/"
SKILLS_INDEX = f"{SKILLS_FOLDER}index.json"

MEDIA_TYPES = {
    "catalog.json": "application/ai-catalog+json",
    ".json": "application/json",
    ".md": "text/markdown; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
}
"""The media types of the files, by the ends of their names; the first that fits counts."""


def is_announcement(name: str, wanted: Collection[Announcement]) -> bool:
    """Whether a name below the base of a site may be that of such a file."""
    return (
        ("llms.txt" in wanted and name == LLMS_TXT)
        or ("ai-catalog" in wanted and name == AI_CATALOG)
        or ("agent-skills" in wanted and name.startswith(SKILLS_FOLDER))
    )
