"""The announcements of a site, as responses."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from functools import lru_cache
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from webagent.announcements import (
    AI_CATALOG,
    LLMS_TXT,
    MEDIA_TYPES,
    SKILLS_FOLDER,
    Announcement,
    is_announcement,
)
from webagent_site.http.file_response import NO_CACHE, Content, respond
from webagent_site.http.sentences import sentence

ANNOUNCED_PATHS = (f"/{LLMS_TXT}", f"/{AI_CATALOG}", f"/{SKILLS_FOLDER}{{name:path}}")
"""The paths of the files, as routes have them."""

_HOST = re.compile(r"[A-Za-z0-9._:\[\]-]{1,260}")


def catalog_link(base: str) -> str:
    """Return the value of a `Link` that names the catalogue below a base."""
    return f'<{base}{AI_CATALOG}>; rel="ai-catalog"; type="application/ai-catalog+json"'


class AnnouncedFiles:
    """The files of one site, made when they are asked for."""

    def __init__(
        self,
        make: Callable[[str], dict[str, bytes]],
        wanted: Collection[Announcement],
        modified_s: Callable[[], float],
    ) -> None:
        """Serve the files that a function makes for an address of the site.

        Args:
            make: Returns the files by their names below the address.
            wanted: The announcements of the site.
            modified_s: Returns when the manifest was changed, in seconds since the epoch.
        """
        # One for each of a few hosts: clients choose the name, and shall fill no memory.
        self._made = lru_cache(maxsize=8)(make)
        self._wanted = wanted
        self._modified_s = modified_s

    def has(self, path: str) -> bool:
        """Whether a path below the mount may be that of such a file."""
        return is_announcement(path.removeprefix("/"), self._wanted)

    def forget(self) -> None:
        """Make the files again: the manifest or a page has changed."""
        self._made.cache_clear()

    def response(self, request: Request, path: str) -> Response:
        """Respond with the file of a path below the mount."""
        if not _HOST.fullmatch(request.url.netloc):
            # It gets into the files, as it is.
            return sentence("the `Host` of the request is not the name of a server", 400)
        root = quote(request.scope.get("root_path", "").rstrip("/"))
        base = f"{request.url.scheme}://{request.url.netloc}{root}/"
        body = self._made(base).get(path.removeprefix("/"))
        if body is None:
            return sentence("this site has no such file for agents", 404)
        kind = next(kind for end, kind in MEDIA_TYPES.items() if path.endswith(end))
        headers = {
            "content-type": kind,
            "cache-control": NO_CACHE,
            # Agents in pages of other sites may read what anyone may.
            "access-control-allow-origin": "*",
        }
        return respond(request, Content.of(body, self._modified_s()), headers)
