"""The pytest plugin in runs of its own, without a browser."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.e2e.conftest import TEMPLATE

pytestmark = pytest.mark.process
pytest_plugins = ["pytester"]

USES = "def test_tool(tools):\n    pass\n"


@pytest.fixture(autouse=True)
def _plain(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run as in an environment that has only our plugin."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTEST_PLUGINS", "webagent_dev.testing.plugin")
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)


def said(result: pytest.RunResult) -> str:
    """Return what a run has printed, broken lines put together."""
    return " ".join(result.stdout.str().split())


def test_the_plugin_is_found_without_a_conftest(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the package installed the fixtures are there, and listed by `--fixtures`."""
    monkeypatch.delenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    monkeypatch.delenv("PYTEST_PLUGINS")
    text = said(pytester.runpytest_subprocess("--fixtures"))

    ours = text[text.index("fixtures defined from webagent_dev.testing.plugin") :]
    for name in ("webagent_server [session scope]", "agent_page", "tools", "agent", "model_script"):
        assert f" {name} -- " in ours, name
    assert "The tools of the page, as functions" in ours


def test_help_says_what_each_option_does(pytester: pytest.Pytester) -> None:
    """The options have a heading of their own."""
    text = said(pytester.runpytest_subprocess("--help"))

    assert "sites with a webagents.md (webagent-dev):" in text
    assert "--webagent-root=FOLDER The site that the fixtures serve and open" in text
    assert "--webagent-url=URL A site that runs already" in text
    assert "--webagent-artifacts=FOLDER Where the picture and the trace" in text
    assert "webagent_root (string): The folder of the site that is tested." in text
    assert "@pytest.mark.webagent(path): open the page of the site" in said(
        pytester.runpytest_subprocess("--markers")
    )


def test_runs_that_do_not_use_it_load_nothing(pytester: pytest.Pytester) -> None:
    """Neither the browser's driver nor the server nor the core is imported."""
    pytester.makepyfile(
        "import sys\n"
        "def test_nothing():\n"
        "    loaded = {'playwright', 'webagent', 'starlette', 'click', 'pydantic'}\n"
        "    assert loaded & sys.modules.keys() == set()\n"
    )

    pytester.runpytest_subprocess("--strict-markers").assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), "there is no site to test - neither"),
        (
            ("--webagent-root=nowhere",),
            "is not a folder - it was given as the site to test - write",
        ),
    ],
)
def test_a_run_without_a_site_says_what_to_write(
    pytester: pytest.Pytester, options: tuple[str, ...], words: str
) -> None:
    """One sentence, and no traceback of ours."""
    pytester.makepyfile(USES)
    result = pytester.runpytest_subprocess(*options)

    result.assert_outcomes(errors=1)
    assert words in said(result)
    assert "Traceback" not in result.stdout.str()
    assert "another exception" not in result.stdout.str()
    assert "plugin.py" not in result.stdout.str()


def test_a_server_that_does_not_start_shows_why(pytester: pytest.Pytester) -> None:
    """Its output is in the error, and how to try it."""
    pytester.makepyfile(USES)
    pytester.makefile(".toml", webagent="[serve]\nport = 1\n")
    result = pytester.runpytest_subprocess()

    result.assert_outcomes(errors=1)
    assert "does not start - it printed: Error: " in said(result)
    assert "- try `webagent-dev serve" in said(result)


def test_a_machine_without_a_browser_says_what_to_install(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same for a `CHROMIUM` that is not a program."""
    monkeypatch.setenv("CHROMIUM", "no-such-program")
    pytester.makepyfile(USES)
    result = pytester.runpytest_subprocess(f"--webagent-root={TEMPLATE}")

    result.assert_outcomes(errors=1)
    assert "`CHROMIUM` names `no-such-program`, which is not a program" in said(result)


def test_a_coroutine_gets_an_error_with_the_remedy(pytester: pytest.Pytester) -> None:
    """The page of the fixtures is for plain functions."""
    pytester.makepyfile("async def test_tool(tools):\n    pass\n")
    result = pytester.runpytest_subprocess(f"--webagent-root={TEMPLATE}")

    result.assert_outcomes(errors=1)
    assert "`test_tool` is a coroutine" in said(result)
    assert "use `webagent_server.url` with `playwright.async_api`" in said(result)


def test_a_marker_that_is_misspelt_is_an_error(pytester: pytest.Pytester) -> None:
    """It says how it is written."""
    pytester.makepyfile(
        "import pytest\n@pytest.mark.webagent('/basket.html')\ndef test_tool(tools):\n    pass\n"
    )
    result = pytester.runpytest_subprocess(f"--webagent-root={TEMPLATE}")

    result.assert_outcomes(errors=1)
    assert 'write `@pytest.mark.webagent(path="/basket.html")`' in said(result)


def test_a_server_is_there_for_tests_that_open_pages_themselves(pytester: pytest.Pytester) -> None:
    """`webagent_server` needs no browser, and finds the site above the tests."""
    pytester.makefile(".md", webagents="# Small shop\n")
    (pytester.path / "index.html").write_text("<!doctype html><title>Hello</title>", "utf-8")
    folder = pytester.mkdir("tests")
    (folder / "test_site.py").write_text(
        "import urllib.request\n"
        "def test_page(webagent_server):\n"
        "    page = urllib.request.urlopen(webagent_server.url).read()\n"
        "    assert b'Hello' in page and b'webagent.js' in page\n"
        "    assert webagent_server.root.name != 'tests'\n"
        "    assert 'ready in' in webagent_server.output\n",
        "utf-8",
    )

    pytester.runpytest_subprocess("tests").assert_outcomes(passed=1)


@pytest.mark.conformance
def test_a_webagent_toml_counts_as_it_does_for_serve(pytester: pytest.Pytester) -> None:
    """It says which folder is the site's; what it leaves open is quiet: nothing starts by itself."""
    pytester.makefile(".toml", webagent='[site]\nroot = "public"\n[page]\noverlay = "on"\n')
    (pytester.mkdir("public") / "index.html").write_text(
        "<!doctype html><title>In</title>", "utf-8"
    )
    folder = pytester.mkdir("tests")
    (folder / "test_site.py").write_text(
        "import urllib.request\n"
        "def test_page(webagent_server):\n"
        "    page = urllib.request.urlopen(webagent_server.url).read()\n"
        "    assert b'<title>In<' in page\n"
        "    assert b'data-start=\"use\"' in page and b'data-overlay=\"on\"' in page\n",
        "utf-8",
    )

    pytester.runpytest_subprocess("tests").assert_outcomes(passed=1)


def test_fixtures_of_a_conftest_go_first(pytester: pytest.Pytester) -> None:
    """A project that has an `agent` or `tools` of its own keeps it."""
    pytester.makeconftest(
        "import pytest\n"
        "@pytest.fixture\ndef tools():\n    return 1\n"
        "@pytest.fixture\ndef agent(tools):\n    return tools + 1\n"
    )
    pytester.makepyfile("def test_own(tools, agent):\n    assert (tools, agent) == (1, 2)\n")

    pytester.runpytest_subprocess().assert_outcomes(passed=1)


def test_a_site_that_runs_is_served_through_a_server_of_ours(pytester: pytest.Pytester) -> None:
    """Its pages get the agent; a folder is not needed."""

    class Site(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(b"<!doctype html><html><head><title>Behind</title></head></html>")

        def log_message(self, *_: object) -> None:
            pass

    pytester.makepyfile(
        "import urllib.request\n"
        "def test_page(webagent_server):\n"
        "    headers = {'accept': 'text/html'}\n"
        "    request = urllib.request.Request(webagent_server.url, headers=headers)\n"
        "    page = urllib.request.urlopen(request).read()\n"
        "    assert b'Behind' in page and b'webagent.js' in page\n"
    )
    with ThreadingHTTPServer(("127.0.0.1", 0), Site) as site:
        threading.Thread(target=site.serve_forever, args=(0.02,), daemon=True).start()
        url = f"http://127.0.0.1:{site.server_port}"
        pytester.runpytest_subprocess(f"--webagent-url={url}").assert_outcomes(passed=1)
        site.shutdown()
