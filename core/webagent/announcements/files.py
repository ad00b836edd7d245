"""The files of a site that announce it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from webagent.announcements import (
    AI_CATALOG,
    ANNOUNCEMENTS,
    LLMS_TXT,
    SKILLS_FOLDER,
    SKILLS_INDEX,
    Announcement,
)
from webagent.announcements.agent_skills import skill, skill_index
from webagent.announcements.ai_catalog import ai_catalog
from webagent.announcements.llms_txt import SitePage, llms_txt
from webagent.types import Manifest


def announcement_files(
    manifest: Manifest,
    base: str,
    pages: Sequence[SitePage],
    wanted: Collection[Announcement] = ANNOUNCEMENTS,
    *,
    has_card: bool = False,
) -> dict[str, bytes]:
    """Return the files of a site by their names below its base.

    Args:
        manifest: The manifest of the site.
        base: Address of the site with a slash at its end, or only its path where the origin is not known.
            A catalogue has whole addresses, so it is left out without the origin.
        pages: The pages that `llms.txt` lists.
        wanted: Which of them the site has.
        has_card: Whether the site has an agent card of A2A.
    """
    files: dict[str, str] = {}
    made = skill(manifest, base) if "agent-skills" in wanted and manifest.tools else None
    if made:
        files[f"{SKILLS_FOLDER}{made.name}/SKILL.md"] = made.text
        files[SKILLS_INDEX] = skill_index([made])
    catalog = ai_catalog(manifest, base, made, has_card=has_card)
    if "ai-catalog" in wanted and catalog:
        files[AI_CATALOG] = catalog
    if "llms.txt" in wanted:
        files[LLMS_TXT] = llms_txt(manifest, base, pages, has_skill=made is not None)
    return {name: text.encode("utf-8", "replace") for name, text in files.items()}
