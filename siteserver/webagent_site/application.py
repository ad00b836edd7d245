"""The agent in an application: `WebAgent` wraps one for ASGI or WSGI."""

from __future__ import annotations

import logging
import os
import sys
from asyncio import run
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_args
from urllib.parse import quote, urlsplit

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, Router
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from webagent import parse
from webagent.announcements import ANNOUNCEMENTS, Announcement
from webagent.announcements.files import announcement_files
from webagent.announcements.llms_txt import named_pages
from webagent.checks import Report, check_bytes
from webagent.diagnostics import Severity, render_text
from webagent.rebase import rebased
from webagent.serializer import to_markdown
from webagent.types import Manifest
from webagent_site.agui.endpoint import SITE_RUNS, VISITOR_RUNS, AguiEndpoint
from webagent_site.assistants.assistants import (
    SITE_CHANGES,
    VISITOR_CHANGES,
    Assistants,
    AssistantsEndpoint,
)
from webagent_site.broker.broker import Broker, MemoryBroker, broker_of
from webagent_site.broker.ledger import Budget, Limit
from webagent_site.config.folders import BUNDLE
from webagent_site.config.urls import (
    AGUI_PATH,
    ASSISTANTS_PATH,
    CONTROL_PATH,
    MANIFEST_NAME,
    MANIFEST_PATH,
    MODEL_OPTIONS,
    PAGES_PATH,
    USAGE_PATH,
)
from webagent_site.config.workers import signing_secret, worker_count
from webagent_site.errors import ConfigError
from webagent_site.http.assets import Assets
from webagent_site.http.bundle_files import BundleFiles
from webagent_site.http.file_response import NO_CACHE, Content, respond
from webagent_site.http.first_answer import first_answer
from webagent_site.http.guard import with_guard_headers
from webagent_site.http.sentences import sentence
from webagent_site.http.visitors import Visitors
from webagent_site.llm.gateway import LlmGateway
from webagent_site.pages.channel import PageChannel
from webagent_site.pages.visitor_pages import VisitorPages
from webagent_site.pages.wire import Asked
from webagent_site.publish.announced_files import ANNOUNCED_PATHS, AnnouncedFiles
from webagent_site.publish.asgi_pages import send_tagged
from webagent_site.publish.publication import Publication
from webagent_site.publish.published_bundle import PublishedBundle, is_published, served
from webagent_site.publish.tagged_response import TaggedResponses, asks_for_document
from webagent_site.publish.wsgi_pages import StartResponse, WsgiApp, own_answer, tagged_chunks
from webagent_site.tools.server_tools import ServerTools
from webagent_site.usage.usage_endpoint import UsageEndpoint, Viewer

if TYPE_CHECKING:
    from flask import Flask
    from redis.asyncio import Redis, RedisCluster

_log = logging.getLogger("webagent_site")

WELL_KNOWN_PATH = "/.well-known/webagents.md"
ACCOUNT_KEY = "webagent.account"
"""Key of a scope or an environ with the mark of the visitor's account, for `WebAgent.tags`."""

VISITOR_REPORTS = Budget(minute=Limit(requests=30))
"""Reports of the use of tools of one visitor; a busy page sends 12 a minute."""
SITE_REPORTS = Budget(minute=Limit(requests=3_000))
"""Those of all visitors."""

F = TypeVar("F", bound=Callable[..., Any])


class BrokenManifest(ConfigError):
    """A manifest has errors; the message lists its findings."""


class WebAgent:
    """The agent of one manifest, for an application of any framework.

    Without a model the agent plans by itself.

    Attributes:
        tools: The functions of the application that are tools; their addresses are those of
            `webagent_site.tools.frameworks`.
    """

    def __init__(
        self,
        manifest: str | Path | Manifest,
        *,
        model: str | LlmGateway | Callable[[], LlmGateway] | None = None,
        broker: str | Redis | RedisCluster | Broker | None = None,
        usage: Viewer | None = None,
        live: bool = False,
        assistants: Assistants | None = None,
        agui: Asked | None = None,
        announce: Collection[Announcement] = ANNOUNCEMENTS,
        options: Mapping[str, str] | None = None,
        model_context: bool = False,
        compressed: bool = False,
        bundle: Path = BUNDLE,
    ) -> None:
        """Name a manifest, and how pages get its agent.

        Nothing is read or checked before `wrap` or `check`.

        Args:
            manifest: A manifest, or the path of its file. A later change of the file is not read.
            model: The model of visitors: `provider:model` with the limits of `LlmGateway`, or a gateway
                (`LlmGateway.for_site`) with limits, accounts and proxies of its own. A function that
                returns one is called by `wrap` or `check`, which report what it lacks.
            broker: What the processes of the site share, as `LlmGateway.for_site` takes it: several count
                together on a Redis, and each for itself without one.
            usage: Returns whether a request may see how the tools are used, at
                `/__webagent__/usage`. Without it pages report nothing, and nothing is counted.
            live: Whether open pages keep a live channel to the server, so that the site's own code can
                call their tools (`pages`).
            assistants: How visitors may connect assistants of their own; nobody may without it.
            agui: Whether front ends in the pages drive the agent by AG-UI, and who approves changes:
                `page`, the person by the panel's card, or `caller`, the front end, except for what
                cannot be undone.
            announce: Announcements besides the manifest: `llms.txt`, `ai-catalog`, `agent-skills`, and
                `markdown` for pages as Markdown; `()` for none.
            options: Attributes of the page's script, without `data-`: `{"panel": "on"}`.
            model_context: Whether scripts of the site offer tools on `document.modelContext`.
            compressed: Whether pages that the application has compressed get the tags too: they are
                decoded and encoded again.
            bundle: The page bundle.
        """
        self.tools = ServerTools()
        self._source = manifest
        self._model = model
        self._broker = broker
        self._viewer = usage
        self._is_live = live or agui is not None
        # Assistants reach the pages of those who have connected one.
        self._has_channel = self._is_live or assistants is not None
        self._options_of_assistants = assistants
        self._agui_asks = agui
        self._folder = bundle
        self._manifest: bytes | None = None
        self._modified_s = 0.0
        self._options = dict(options or {})
        self._model_context = model_context
        self._announce = announce
        self._announced = AnnouncedFiles(self._announcements, announce, lambda: self._modified_s)
        self._tagged = TaggedResponses(
            compressed=compressed, report=_log.warning, announce=announce
        )
        # One of a few mounts; a client that could choose the path would fill no memory.
        self._publication = lru_cache(maxsize=16)(self._published_at)
        self._content = lru_cache(maxsize=16)(self._content_at)

    def tool(self, **declared: Any) -> Callable[[F], F]:
        """Declare a function of the application as a tool: `@webagent.tool(effect="read")`.

        Args:
            **declared: As `ServerTools.tool` takes them.

        Raises:
            ConfigError: The function cannot be a tool, or pages are served already.
        """
        if self._manifest is not None:
            raise ConfigError(
                "a tool is declared after the application was wrapped - pages would not get it - "
                "declare it above `wrap`"
            )
        return self.tools.tool(**declared)

    def check(self) -> Report:
        """Return what is found in the manifest together with the tools of the application.

        `wrap` refuses errors and logs the rest.

        Raises:
            ConfigError: The manifest or the bundle cannot be read, or the model cannot be used.
        """
        return self._checked()[0]

    def notes(self) -> list[str]:
        """Return what the owner should know of the model; `wrap` logs it.

        Raises:
            ConfigError: The model cannot be used.
        """
        return self._gateway.notes(worker_count(os.environ, sys.argv)) if self._gateway else []

    async def stop_models(self) -> None:
        """Refuse requests to the model from now on; those that run end by themselves.

        With a broker this holds for all processes, also after a restart.

        Raises:
            BrokerUnavailable: The other processes do not learn of it.
        """
        if self._gateway:
            await self._gateway.stop()

    async def resume_models(self) -> None:
        """Accept them again.

        Raises:
            BrokerUnavailable: As in `stop_models`.
        """
        if self._gateway:
            await self._gateway.resume()

    async def close(self) -> None:
        """Close the connections to models; `wrap` does this when the application ends.

        An application that is mounted in another one does not learn of its end.
        """
        if self._has_channel:
            await self.pages.close()
        if self._gateway:
            await self._gateway.close()

    def tags(self, root_path: str = "", nonce: str | None = None, account: str = "") -> str:
        """Return the tags of a page as HTML, for a template; the page is then left as it is.

        Args:
            root_path: The path under which the application is mounted.
            nonce: The nonce that scripts need by the policy of the page, None if they need none.
            account: The mark of the visitor's account: `webagent.account` in the scope of the request,
                or in its environ.
        """
        if self._manifest is None:
            self._tagged.once(
                "wrap",
                "a page has the tags of an agent that wraps no application, so the files in them are not "
                "served - write `app = webagent.wrap(app)`, and for WSGI, which Django's `runserver` "
                "uses, `wrap_wsgi`",
            )
        return "".join(_marked(self._publication(root_path), account).lines(b"", nonce))

    def wrap(self, app: ASGIApp) -> ASGIApp:
        """Return an ASGI application that serves another one with the agent in its pages.

        Raises:
            BrokenManifest: The manifest has errors, alone or together with the tools of the application.
            ConfigError: The manifest or the bundle cannot be read, or the model cannot be used.
        """
        self._start()

        async def wrapped(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] == "lifespan":
                await app(scope, self._closing(receive), send)
                return
            root_path = scope.get("root_path", "").rstrip("/")
            below = _below(root_path, scope["path"])
            if scope["type"] != "http":
                if self._channel and below == PAGES_PATH:
                    await self._channel.endpoint(WebSocket(scope, receive, send))
                    return
                # Other WebSockets are the application's own.
                await app(scope, receive, send)
                return
            if self._is_own(below):
                await self._own(scope, receive, with_guard_headers(scope, send))
                return
            if self._announced.has(below):
                await first_answer(app, self._guarded, scope, receive, send)
                return
            mark = await self._account_mark(scope)
            publication = _marked(self._publication(root_path), mark)
            inner = {**scope, ACCOUNT_KEY: mark}
            await send_tagged(app, self._tagged, publication, inner, receive, send)

        return wrapped

    def wrap_wsgi(self, app: WsgiApp) -> WsgiApp:
        """Return a WSGI application that serves another one with the agent in its pages.

        Raises:
            BrokenManifest: The manifest has errors, alone or together with the tools of the application.
            ConfigError: The manifest or the bundle cannot be read, the model cannot be used, or
                `a2wsgi` is not installed.
        """
        self._start()
        try:
            from a2wsgi import ASGIMiddleware
            from a2wsgi.asgi import build_scope
        except ImportError:
            raise ConfigError(
                "`wrap_wsgi` serves files with a2wsgi, which is not installed - "
                'run `pip install "webagent-site[wsgi]"`'
            ) from None
        _log.warning(
            "WSGI has no sockets: tags, files and the model work, what needs a live channel does not "
            "- serve the application by ASGI with `wrap` for that"
        )
        own: list[Any] = []

        def wrapped(environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
            root_path = environ.get("SCRIPT_NAME", "").rstrip("/")
            path = environ.get("PATH_INFO", "")
            if self._announced.has(path) and (theirs := own_answer(app, environ)):
                start_response(theirs.status, theirs.headers)
                return [theirs.body]
            if self._is_own(path) or self._announced.has(path):
                if not own:
                    # With the first request: its thread would not survive the fork of a worker.
                    own.append(ASGIMiddleware(self._guarded))  # type: ignore[arg-type]
                answer: Iterable[bytes] = own[0](environ, start_response)
                return answer
            mark = ""
            if self._visitors:
                # A client can send an address that is no text.
                address = {"PATH_INFO": "/", "QUERY_STRING": ""}
                scope: Any = build_scope({**environ, **address})  # type: ignore[typeddict-item]
                mark = run(self._account_mark(scope))
            publication = _marked(self._publication(root_path), mark)
            inner = {**environ, ACCOUNT_KEY: mark}
            return tagged_chunks(app, self._tagged, publication, inner, start_response)

        return wrapped

    def init_app(self, app: Flask) -> None:
        """Put the agent into the pages of a Flask application, and the addresses of its tools beside them.

        Raises:
            BrokenManifest: As `wrap_wsgi`.
            ConfigError: As `wrap_wsgi`.
        """
        from webagent_site.tools.frameworks import flask_blueprint

        app.register_blueprint(flask_blueprint(self.tools))
        app.wsgi_app = self.wrap_wsgi(app.wsgi_app)  # type: ignore[assignment,method-assign]

    async def _guarded(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._own(scope, receive, with_guard_headers(scope, send))

    @cached_property
    def _bundle(self) -> PublishedBundle:
        files = BundleFiles(self._folder)
        if "webagent.js" not in files:
            raise ConfigError(
                f"`{self._folder}` does not hold the page bundle - pages would get no agent - install "
                "`webagent-site` from its wheel, or run `make bundle` in a checkout"
            )
        return served(files)

    @cached_property
    def _assets(self) -> Assets:
        return Assets(self._folder, published=f"/{self._bundle.folder}")

    @cached_property
    def _gateway(self) -> LlmGateway | None:
        model = self._model
        if model is None and (self._viewer is not None or self._has_channel):
            # It gives pages their tokens; a site without a model has no other use for it.
            workers = worker_count(os.environ, sys.argv)
            secret = signing_secret(os.environ, workers, has_broker=self._broker is not None)
            return LlmGateway(None, Visitors(secret), broker=broker_of(self._broker))
        if isinstance(model, str):
            return LlmGateway.for_site(model, broker=self._broker)
        gateway = model() if callable(model) else model
        if gateway and self._broker is not None and self._broker is not gateway.broker:
            raise ConfigError(
                "the gateway counts elsewhere than at the `broker` - name it there: "
                "`LlmGateway.for_site(…, broker=…)`"
            )
        return gateway

    @cached_property
    def _usage(self) -> UsageEndpoint | None:
        if self._viewer is None or self._gateway is None:
            return None
        check = self._gateway.page_check("usage", VISITOR_REPORTS, SITE_REPORTS)
        workers = worker_count(os.environ, sys.argv)
        notes = (
            [f"There are {workers} processes, and each counts for itself."]
            if workers > 1 and isinstance(self._gateway.broker, MemoryBroker)
            else []
        )
        counts = self._gateway.broker.usage()
        return UsageEndpoint(check, self._viewer, self._served_manifest, counts, notes)

    def _served_manifest(self) -> Manifest:
        return parse(self._text)

    @property
    def _text(self) -> str:
        assert self._manifest is not None
        return self._manifest.decode("utf-8", "replace")

    @cached_property
    def pages(self) -> VisitorPages:
        """The open pages of visitors in all processes.

        Raises:
            ConfigError: Pages have no live channel.
        """
        gateway = self._gateway if self._has_channel else None
        if gateway is None:
            raise ConfigError("pages have no live channel - write `WebAgent(…, live=True)`")
        if gateway.visitors is None:
            raise ConfigError(
                "the gateway gives pages no tokens of their own - a live channel needs them - make it "
                "with `LlmGateway.for_site`"
            )
        return VisitorPages(gateway.broker.pages(), gateway.visitors.mark)

    @cached_property
    def _channel(self) -> PageChannel | None:
        pages = self.pages if self._has_channel else None
        visitors = self._gateway.visitors if self._gateway else None
        return PageChannel(visitors, pages) if visitors and pages else None

    @cached_property
    def _assistants(self) -> AssistantsEndpoint | None:
        options, gateway = self._options_of_assistants, self._gateway
        if options is None or gateway is None:
            return None
        workers = worker_count(os.environ, sys.argv)
        if workers > 1 and isinstance(gateway.broker, MemoryBroker):
            raise ConfigError(
                f"there are {workers} workers and no `broker` - an assistant that was connected at one "
                'would be unknown to the others - write `WebAgent(…, broker="redis://…")`'
            )
        check = gateway.page_check("panel", VISITOR_CHANGES, SITE_CHANGES)
        assert gateway.visitors
        return AssistantsEndpoint(
            options, gateway.visitors, gateway.broker, self.pages, check, self._served_manifest
        )

    @cached_property
    def _agui(self) -> AguiEndpoint | None:
        if self._agui_asks not in (None, *get_args(Asked)):
            raise ConfigError(
                "`agui` has to say who approves changes - nobody could be asked otherwise - write "
                '`agui="page"` or `agui="caller"`'
            )
        gateway = self._gateway if self._agui_asks else None
        if self._agui_asks is None or gateway is None or gateway.visitors is None:
            return None
        check = gateway.page_check("agui", VISITOR_RUNS, SITE_RUNS)
        return AguiEndpoint(
            check, gateway.visitors, self.pages, gateway.broker.interrupts(), self._agui_asks
        )

    @cached_property
    def _own(self) -> Router:
        return Router(
            [
                Route(MANIFEST_PATH, self._manifest_file),
                Route(WELL_KNOWN_PATH, self._manifest_file),
                Route(f"/{self._bundle.folder}{{path:path}}", self._file),
                *(self._gateway.routes() if self._gateway else ()),
                *(self._usage.routes() if self._usage else ()),
                *(self._assistants.routes() if self._assistants else ()),
                *(self._agui.routes() if self._agui else ()),
                *(Route(path, self._announcement) for path in ANNOUNCED_PATHS),
            ],
            redirect_slashes=False,
        )

    def _start(self) -> None:
        """Check all that pages need, and log what the owner should know."""
        if self._manifest is not None:
            return
        report, text, self._modified_s = self._checked()
        shown = render_text(report.findings, report.source)
        if report.broken:
            errors = sum(finding.severity is Severity.ERROR for finding in report.findings)
            raise BrokenManifest(
                f"`{report.source.path}` has {errors} error{'s' if errors > 1 else ''} - pages would "
                f"get other tools than it means - correct it:\n\n{shown}"
            )
        for note in [*([shown.rstrip()] if shown else []), *self.notes()]:
            _log.warning("%s", note)
        self._manifest = text

    def _checked(self) -> tuple[Report, bytes, float]:
        """Return the report, the text and the time (seconds since the epoch) of the manifest."""
        # Pages need these, and each raises if it cannot be used.
        _ = self._bundle, self._gateway, self._usage, self._channel, self._assistants, self._agui
        if unknown := sorted(set(self._announce) - set(ANNOUNCEMENTS)):
            raise ConfigError(
                f"`announce` has `{unknown[0]}`, which is no announcement - write some "
                f"of {', '.join(f'`{one}`' for one in ANNOUNCEMENTS)}"
            )
        name, text, modified_s = _read(self._source)
        report = check_bytes(text, path=name)
        if self.tools.manifest_tools() and not report.broken:
            text = self.tools.manifest_text(text.decode(), name).encode()
            report = check_bytes(text, path=name)
        return report, text, modified_s

    @cached_property
    def _visitors(self) -> Visitors | None:
        """The visitors of the gateway, if they have accounts."""
        visitors = self._gateway.visitors if self._gateway else None
        return visitors if visitors and visitors.has_accounts else None

    async def _account_mark(self, scope: Scope) -> str:
        """Return the mark of a visitor's account for a page; nothing for other responses."""
        if not self._visitors or not asks_for_document(scope["headers"]):
            return ""
        try:
            return await self._visitors.account_mark(Request(scope))
        except Exception:
            # The site's function failed, and its page is sent all the same.
            _log.exception("`account` failed - the page is that of a stranger to the agent")
            return ""

    def _closing(self, receive: Receive) -> Receive:
        """Close the connections to models when the application ends."""

        async def received() -> Message:
            message = await receive()
            if message["type"] == "lifespan.shutdown":
                await self.close()
            return message

        return received

    def _is_own(self, path: str) -> bool:
        return (
            path in (MANIFEST_PATH, WELL_KNOWN_PATH)
            or path.startswith(f"/{self._bundle.folder}")
            or (self._gateway is not None and path.startswith(f"{CONTROL_PATH}/llm/"))
            or (self._usage is not None and path == USAGE_PATH)
            or (self._assistants is not None and self._assistants.has(path))
            or (self._agui is not None and path == AGUI_PATH)
        )

    def _published_at(self, root_path: str) -> Publication:
        llm = self._gateway.llm if self._gateway else None
        models = {
            # Where the application is mounted, the model is below the mount, too.
            name: value.replace(f"{CONTROL_PATH}/", f"{root_path}{CONTROL_PATH}/", 1)
            for name, value in (llm.script_options if llm else {}).items()
            if name in MODEL_OPTIONS
        }
        usage = {"usage": f"{root_path}{USAGE_PATH}"} if self._usage else {}
        pages = {"pages": f"{root_path}{PAGES_PATH}"} if self._is_live else {}
        assistants = {"assistants": f"{root_path}{ASSISTANTS_PATH}"} if self._assistants else {}
        return Publication(
            quote(f"{root_path}/", safe="/:@!$&'()*+,;=~%"),
            self._bundle,
            has_manifest=True,
            uses_model_context=self._model_context,
            options=models | usage | pages | assistants | self._options,
            tools=self.tools if self.tools.manifest_tools() else None,
            by_account=self._visitors is not None,
        )

    def _announcements(self, base: str) -> dict[str, bytes]:
        manifest = parse(rebased(self._text, urlsplit(base).path))
        return announcement_files(
            manifest,
            base,
            named_pages(manifest),
            self._announce,
            has_card=self._assistants is not None,
        )

    async def _announcement(self, request: Request) -> Response:
        root_path = request.scope.get("root_path", "").rstrip("/")
        return self._announced.response(request, _below(root_path, request.scope["path"]))

    async def _manifest_file(self, request: Request) -> Response:
        base = self._publication(request.scope.get("root_path", "").rstrip("/")).base
        headers = {"content-type": "text/markdown; charset=utf-8", "cache-control": NO_CACHE}
        return respond(request, self._content(base), headers)

    def _content_at(self, base: str) -> Content:
        text = rebased(self._text, base)
        return Content.of(text.encode(), self._modified_s)

    async def _file(self, request: Request) -> Response:
        name: str = request.path_params["path"]
        if not is_published(name):
            return sentence(f"`{name}` is for development - it is not published", 404)
        return await self._assets.named(request, name)


def _read(manifest: str | Path | Manifest) -> tuple[str, bytes, float]:
    """Return name, text and time (seconds since the epoch) of a manifest."""
    if isinstance(manifest, Manifest):
        return MANIFEST_NAME, to_markdown(manifest).encode(), 0.0
    path = Path(manifest)
    try:
        return str(manifest), path.read_bytes(), path.stat().st_mtime
    except OSError as error:
        raise ConfigError(
            f"`{manifest}` cannot be read - {error.strerror or error} - write the path of a manifest, "
            f"seen from {Path.cwd()}"
        ) from None


def _marked(publication: Publication, account: str) -> Publication:
    """Return how the pages of an account are published."""
    if not account:
        return publication
    return replace(publication, options={**publication.options, "account": account})


def _below(root_path: str, path: str) -> str:
    """Return a path below that of the mount; servers differ in whether `path` has both."""
    return path[len(root_path) :] if path.startswith(f"{root_path}/") else path
