"""The page bundle: the files of the agent that pages download from the server."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from anyio.to_thread import run_sync
from starlette.requests import Request
from starlette.responses import Response

from webagent_site.config.folders import BUNDLE
from webagent_site.config.urls import CONTROL_PATH
from webagent_site.http.bundle_files import INDEX, BundleFiles
from webagent_site.http.file_response import IDENTITY, NO_CACHE, Content, respond
from webagent_site.http.paths import content_type
from webagent_site.http.sentences import sentence

_IMMUTABLE = "public, max-age=31536000, immutable"

# Pages that require this header of all they embed can then embed these files.
_EMBEDDER = {"cross-origin-embedder-policy": "require-corp"}

_OWN_HEADERS: Mapping[str, Mapping[str, str]] = {
    "sandbox.html": {
        # The policy in the file itself cannot have these two directives. They take its origin away
        # wherever it is opened, and let only pages of this server show it in a frame.
        "content-security-policy": "sandbox allow-scripts; frame-ancestors 'self'",
        **_EMBEDDER,
    },
    "python_worker.js": _EMBEDDER,
}


class Assets:
    """Serves the bundle under the control path, or where a site publishes it."""

    def __init__(self, folder: Path = BUNDLE, *, published: str | None = None) -> None:
        """Serve a bundle.

        Args:
            folder: Its folder.
            published: The path below which a site publishes it, which changes with its content; None
                under the control path.
        """
        self._folder = folder
        self._published = published
        self._files = BundleFiles(folder)
        self.build = _build_id(folder)

    @property
    def missing(self) -> str | None:
        """Why pages get no agent, None when the bundle exists."""
        if "webagent.js" in self._files:
            return None
        return "the page bundle is not built - pages get no agent - run `make bundle`"

    async def file(self, request: Request) -> Response:
        """Respond with a file of the bundle."""
        return await self.named(request, request.path_params["path"])

    async def named(self, request: Request, name: str) -> Response:
        """Respond with the file of a name, in the content coding that the client prefers."""
        accepted = ", ".join(request.headers.getlist("accept-encoding"))
        try:
            found = await run_sync(self._content, name, accepted)
        except OSError:
            return self._missing(name)
        if found is None:
            refusal = sentence(
                f"`{self._address(name)}` does not exist in a coding that `accept-encoding` allows - "
                "allow `identity`",
                406,
            )
            refusal.headers["vary"] = "accept-encoding"
            return refusal
        coding, kind, content = found
        headers = {
            "content-type": kind,
            "cache-control": (
                _IMMUTABLE if self._published or name.startswith("assets/") else NO_CACHE
            ),
            "vary": "accept-encoding",
            **({"content-encoding": coding} if coding != IDENTITY else {}),
            **_OWN_HEADERS.get(name, {}),
        }
        return respond(request, content, headers)

    def _content(self, name: str, accepted: str) -> tuple[str, str, Content] | None:
        """Return the coding to send, the content type, and the content; None for no such coding."""
        if name not in self._files:
            raise FileNotFoundError(name)
        chosen = self._files.chosen(name, accepted)
        if chosen is None:
            return None
        coding, source = chosen
        if isinstance(source, Path):
            content = Content.read(source)
        else:
            content = Content.of(source, (self._folder / INDEX).stat().st_mtime)
        # The texts of a bundle are UTF-8, so that none has to be decompressed to find out.
        return coding, content_type(name, b""), content

    def _address(self, name: str) -> str:
        return f"{self._published or CONTROL_PATH + '/'}{name}"

    def _missing(self, name: str) -> Response:
        if self._published:
            return sentence(
                f"`{self._address(name)}` is not part of the page bundle - reload the page", 404
            )
        why = self.missing or (
            f"`{CONTROL_PATH}/{name}` is not part of the page bundle - it may be from another "
            "build - reload the page, or run `make bundle`"
        )
        return sentence(why, 404)


def _build_id(folder: Path) -> str:
    """Return the digest of the build that made the bundle, empty without a bundle."""
    try:
        return str(json.loads((folder / INDEX).read_text("utf-8"))["build"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""
