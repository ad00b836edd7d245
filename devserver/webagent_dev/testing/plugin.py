"""The pytest plugin: fixtures for tests of a site with a `webagents.md`.

pytest loads this module in every run of an environment that has it, so nothing else is loaded here,
and nothing happens before a test asks for one of the fixtures.

The fixtures are synchronous: a test of five lines is a plain function, the `page` of pytest-playwright
is of the same kind, and a test with coroutines needs the address of `webagent_server` only.
"""

from __future__ import annotations

import inspect
import tempfile
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from webagent_dev.testing.settings import MARKER, add_options, settings_of, site_of

if TYPE_CHECKING:
    from playwright.sync_api import Page, Playwright

    from webagent.types import Manifest
    from webagent_dev.server.site_server import SiteServer
    from webagent_dev.testing.goals import ModelScript, PageAgent
    from webagent_dev.testing.page_tools import PageTools
    from webagent_dev.testing.site_browser import SiteBrowser

_BROWSER = pytest.StashKey["SiteBrowser"]()
"""The browser of the run, once there is one."""
_TOOLS = pytest.StashKey["PageTools"]()
"""The tools of a test, once it has asked for them."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add options; `pytest --help` shows them under their own heading."""
    add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker, so that `--strict-markers` knows it."""
    config.addinivalue_line("markers", MARKER)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """End our Playwright before a coroutine: while its loop runs, no other can in this thread."""
    browser = item.config.stash.get(_BROWSER, None)
    if browser is None or not browser.can_step_aside:
        return
    if inspect.iscoroutinefunction(getattr(item, "obj", None)):
        browser.stop()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add to the report of a failure what the page looked like, and where that is kept."""
    report = yield
    browser = item.config.stash.get(_BROWSER, None)
    if browser is None or browser.page is None or not report.failed or report.when == "teardown":
        return report
    tools = item.stash.get(_TOOLS, None)
    lines = [("page", browser.page.url), *browser.keep(_artifacts(item.config), item.nodeid)]
    lines += [("called", call) for call in (tools.made if tools else [])]
    lines += [("console", error) for error in browser.errors]
    report.sections.append(("webagent", "\n".join(f"{label:<11}{text}" for label, text in lines)))
    return report


@pytest.fixture(scope="session")
def webagent_server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SiteServer]:
    """Serve the site on a free port, with the agent in its pages, for the whole run.

    It has `url`, without a slash at its end, `root`, and `output`, what the server has printed.
    """
    from webagent_dev.server.site_server import SiteServer

    settings = settings_of(request.config)
    users = [one for one in request.session.items if "webagent_server" in _fixtures_of(one)]
    near = (request.config.invocation_params.dir, request.config.rootpath)
    with _told():
        root = site_of(settings, [one.path for one in users], near)
        server = SiteServer(root, tmp_path_factory.mktemp("webagent"), proxy=settings.url)
    yield server
    server.stop()


@pytest.fixture(scope="session")
def _webagent_browser(
    request: pytest.FixtureRequest, webagent_server: SiteServer
) -> Iterator[SiteBrowser]:
    """The browser of all fixtures with pages; it starts with the first page."""
    from webagent_dev.testing.site_browser import SiteBrowser

    browser = SiteBrowser(webagent_server, settings_of(request.config))
    request.config.stash[_BROWSER] = browser
    yield browser
    browser.stop()


@pytest.fixture
def _webagent_page(
    request: pytest.FixtureRequest, _webagent_browser: SiteBrowser
) -> Iterator[Page]:
    """A fresh page of the site, whose agent may still be starting."""
    if inspect.iscoroutinefunction(request.function):
        pytest.fail(
            f"`{request.function.__name__}` is a coroutine - `agent_page`, `tools` and `agent` have a "
            "page of Playwright's synchronous interface - write `def` instead of `async def`, or use "
            "`webagent_server.url` with `playwright.async_api` and `webagent.AgentClient`",
            pytrace=False,
        )
    try:
        with _told():
            page = _webagent_browser.open(_path_of(request.node), _playwright_of(request))
            if "agent_page" in request.fixturenames:
                _webagent_browser.await_agent()
        _webagent_browser.record()
        yield page
    finally:
        _webagent_browser.leave()


@pytest.fixture
def agent_page(_webagent_page: Page, _webagent_browser: SiteBrowser) -> Page:
    """Open a fresh page of the site in Chromium and wait until the agent in it is ready.

    It is a page of `playwright.sync_api`; `agent_page.evaluate("webagent.call('name')")` asks its
    agent. Nothing is left in it of tests before.
    """
    with _told():
        _webagent_browser.await_agent()
    return _webagent_page


@pytest.fixture
def tools(request: pytest.FixtureRequest, _webagent_page: Page) -> Iterator[PageTools]:
    """The tools of the page, as functions: `tools.searchBooks("harbour")` gives what it returns.

    The page is that of `agent_page`, and nothing waits for its agent. The result of a call is compared
    with what the manifest declares.
    """
    from webagent import SyncAgentClient
    from webagent_dev.testing.page_tools import PageTools

    with SyncAgentClient() as client:
        manifest, origin = _manifest_of(_webagent_page)
        client.load_manifest(manifest, origin=origin)
        found = request.node.stash[_TOOLS] = PageTools(_webagent_page, client)
        yield found
        del request.node.stash[_TOOLS]


@pytest.fixture
def model_script() -> ModelScript:
    """The replies of the model of `agent`: `model_script("I will look", model_script.finish())`."""
    from webagent_dev.testing.goals import ModelScript

    return ModelScript()


@pytest.fixture
def agent(_webagent_page: Page, model_script: ModelScript) -> PageAgent:
    """The agent, at work in the page: `agent.run("find a book about harbours").text`.

    It has no model, unless `model_script` has its replies.
    """
    from webagent_dev.testing.goals import PageAgent

    return PageAgent(_webagent_page, *_manifest_of(_webagent_page), model_script)


def _manifest_of(page: Page) -> tuple[Manifest, str]:
    """Return the manifest of a page, and the origin that it belongs to."""
    from webagent.page.playwright.sync import run_on_page
    from webagent.urls import origin_of
    from webagent_dev.browser.open_site import declared_manifest

    return run_on_page(page, declared_manifest), origin_of(page.url)


def _playwright_of(request: pytest.FixtureRequest) -> Playwright | None:
    """Return the Playwright of pytest-playwright, of which there can be one in a thread."""
    if not request.config.pluginmanager.has_plugin("playwright"):
        return None
    found: Playwright = request.getfixturevalue("playwright")
    return found


def _path_of(node: pytest.Item) -> str:
    marker = node.get_closest_marker("webagent")
    if marker is None:
        return "/"
    if marker.args or set(marker.kwargs) != {"path"}:
        from webagent_site.errors import UsageError

        raise UsageError(
            f"`@pytest.mark.webagent` of `{node.name}` takes a path by name and nothing else - "
            'write `@pytest.mark.webagent(path="/basket.html")`'
        )
    path: str = marker.kwargs["path"]
    return path


def _artifacts(config: pytest.Config) -> Path:
    """Return where pictures and traces go: by default a place that no server watches."""
    settings = settings_of(config)
    if settings.artifacts is not None:
        return settings.artifacts
    if config.pluginmanager.has_plugin("cacheprovider"):
        return config.cache.mkdir("webagent")
    return Path(tempfile.mkdtemp(prefix="webagent-"))


def _fixtures_of(item: pytest.Item) -> Sequence[str]:
    """Return the names of all fixtures that a test asks for, also by others; doctests have none."""
    return getattr(item, "fixturenames", ())


@contextmanager
def _told() -> Iterator[None]:
    """Report a mistake that a person can mend in one sentence, without a traceback."""
    from webagent_site.errors import UsageError

    try:
        yield
    except UsageError as error:
        raise pytest.fail.Exception(str(error), pytrace=False) from None
