"""`webagent-dev check`: what it says, in which form, with which exit code, and what it mends."""

from __future__ import annotations

import json
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from click.testing import CliRunner, Result

from tests.compat.web import Answer, web
from tests.server import hosting
from webagent_dev.cli.main import main
from webagent_dev.publish.preflight import browser_checks

GOOD = "# Shop\n\n## search\nFind.\n\n### Params\n\n### Output\n`void`\n"
BROKEN = "# Shop\n\n## search\nFind.\n\n### Params\n- `q` (int, optional): Words.\n- some words\n"
FIXABLE = (
    "\ufeff# Shop\r\n\r\n## getCart\r\nThe cart. \r\n\r\n## search\r\nFind.\r\n\r\n### Params\r\n"
    "- `n` (int,   optional): Most.\t\r\n\r\n### Output\r\n```ts\r\nArray<integer>\r\n"
)


def check(*arguments: str, stdin: bytes = b"") -> Result:
    return CliRunner().invoke(main, ["check", *arguments], input=stdin)


@pytest.fixture(name="site")
def _site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "webagents.md").write_text(BROKEN)
    return tmp_path


def test_this_folder_is_checked_by_default(site: Path) -> None:
    """Errors make the exit code 1, and each finding has its place and a remedy."""
    result = check()

    assert result.exit_code == 1
    assert "webagents.md:8:1: error[unreadable-param]" in result.stdout
    assert "= help: write - `name` (type, required): description" in result.stdout
    assert "webagents.md: 1 tool, 1 error, 1 warning, 1 info" in result.stdout
    assert "one finding can be fixed with `--fix`" in result.stdout


def test_a_good_file_is_one_line(site: Path) -> None:
    """The exit code is 0."""
    (site / "good.md").write_text(GOOD)
    result = check("good.md")

    assert (result.exit_code, result.stdout) == (0, "good.md: 1 tool\n")


def test_warnings_have_exit_code_0(site: Path) -> None:
    """Only errors make the exit code 1."""
    (site / "webagents.md").write_text(GOOD.replace("Find.\n", ""))

    assert check().exit_code == 0


def test_standard_input_is_checked(site: Path) -> None:
    """`-` reads what is piped in."""
    result = check("-", "--format", "concise", stdin=BROKEN.encode())

    assert result.exit_code == 1
    assert result.stdout.splitlines()[-1] == (
        "<stdin>:8:1: error[unreadable-param]: `some words` is in the list of parameters but has no name"
        " - write - `name` (type, required): description"
    )


def test_json(site: Path) -> None:
    """An array with one report for each target."""
    (site / "good.md").write_text(GOOD)
    result = check("webagents.md", "good.md", "--format", "json")
    broken, good = json.loads(result.stdout)

    assert (broken["path"], broken["tools"], len(broken["findings"])) == ("webagents.md", 1, 3)
    assert good == {"path": "good.md", "findings": [], "tools": 1, "fixed": []}
    assert broken["findings"][1]["span"]["start"] == {"line": 7, "column": 8}


def test_sarif(site: Path) -> None:
    """The log names all rules, and points each result at its rule and region."""
    log = json.loads(check("--format", "sarif").stdout)
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]

    assert log["version"] == "2.1.0"
    assert len(rules) > 40
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    (fixable,) = (result for result in run["results"] if "fixes" in result)
    place = fixable["locations"][0]["physicalLocation"]
    assert fixable["ruleId"] == "unknown-type"
    assert place["artifactLocation"]["uri"] == "webagents.md"
    assert place["region"] == {"startLine": 7, "startColumn": 8, "endLine": 7, "endColumn": 11}
    (change,) = fixable["fixes"][0]["artifactChanges"]
    assert change["replacements"][0]["insertedContent"] == {"text": "number"}


def test_sarif_leads_to_the_pages_of_the_rules(site: Path) -> None:
    """If it is known where they are; the slash at the end makes no difference."""
    for url in ("https://docs.example/rules", "https://docs.example/rules/"):
        (run,) = json.loads(check("--format", "sarif", "--rules-url", url).stdout)["runs"]
        for rule in run["tool"]["driver"]["rules"]:
            assert rule["helpUri"] == f"https://docs.example/rules/{rule['id']}.md"

    assert "helpUri" not in check("--format", "sarif").stdout


def test_several_forms_of_one_check(site: Path) -> None:
    """Each in its file, and the findings in the terminal."""
    result = check("--format", "sarif", "-o", "a.sarif", "--format", "markdown", "-o", "a.md")

    assert json.loads((site / "a.sarif").read_text("utf-8"))["version"] == "2.1.0"
    assert (
        (site / "a.md").read_text("utf-8").startswith("### ✗ webagent\\-dev check webagents\\.md\n")
    )
    assert "webagents.md: 1 tool, 1 error, 1 warning, 1 info" in result.stdout
    assert "the report is in a.sarif\nthe report is in a.md\n" in result.stdout


def test_github(site: Path) -> None:
    """One workflow command for each finding."""
    lines = check("--format", "github").stdout.splitlines()

    assert lines[-1].startswith(
        "::error file=webagents.md,line=8,col=1,endColumn=13,title=webagent unreadable-param::"
    )


def test_select_and_ignore(site: Path) -> None:
    """Rules are chosen by name, separated by commas; others neither show nor fail."""
    ignored = check("--format", "concise", "--ignore", "unreadable-param,missing-output")
    selected = check("--format", "concise", "--select", "unreadable-param")

    assert ignored.exit_code == 0
    assert "[unknown-type]" in ignored.stdout
    assert len(ignored.stdout.splitlines()) == 1
    assert selected.exit_code == 1
    assert len(selected.stdout.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nothing.md"], "`nothing.md` cannot be read - there is no such file"),
        (["--select", "unknown-typ"], "`unknown-typ` is not a rule - write `unknown-type`"),
        (["--ignore", "xyz"], "`xyz` is not a rule - `webagent-dev explain` lists all rules"),
        (["-", "-"], "`-` is given twice"),
        (["-", "--fix"], "`<stdin>` cannot be fixed"),
        (["--format", "xml"], "'xml' is not one of"),
        (["--format", "sarif", "--rules-url", "rules"], "`rules` is not an address"),
        (["http://127.0.0.1:1/webagents.md"], "cannot be fetched"),
    ],
)
def test_a_usage_error_is_one_sentence(site: Path, arguments: list[str], sentence: str) -> None:
    """On the error stream, with the exit code 2."""
    result = check(*arguments)

    assert result.exit_code == 2
    assert sentence in result.stderr
    assert result.stdout == ""


def test_fix_edits_the_spans_of_fixes_only(site: Path) -> None:
    """All other bytes stay: line ends, byte order mark, spaces; and it says what it did."""
    path = site / "webagents.md"
    path.write_bytes(FIXABLE.encode())
    result = check("--fix", "--ignore", "missing-output")

    assert result.exit_code == 0
    assert path.read_bytes().decode() == (
        "\ufeff# Shop\r\n\r\n## getCart\r\nThe cart. \r\n\r\n### Params\r\n\r\n## search\r\nFind."
        "\r\n\r\n### Params\r\n- `n` (number,   optional): Most.\t\r\n\r\n### Output\r\n```ts\r\n"
        "Array<number>\r\n```\r\n"
    )
    assert "webagents.md:3:4: fixed[implicit-tool]: add an empty `### Params`" in result.stdout
    assert "webagents.md:10:8: fixed[unknown-type]: write `number`" in result.stdout
    assert "fixed[unclosed-fence]: close the fence with ```" in result.stdout
    again = path.read_bytes()
    assert "fixed" not in check("--fix").stdout
    assert path.read_bytes() == again


def test_fix_respects_the_choice_of_rules(site: Path) -> None:
    """Findings of ignored rules are not fixed."""
    check("--fix", "--ignore", "unknown-type")

    assert (site / "webagents.md").read_text() == BROKEN


def test_a_file_that_is_not_utf_8_is_reported_and_left(site: Path) -> None:
    """Its bytes are not touched by `--fix`."""
    data = FIXABLE.encode("latin-1", "replace") + b"\xe9"
    (site / "webagents.md").write_bytes(data)
    result = check("--fix")

    assert result.exit_code == 1
    assert "error[not-utf-8]" in result.stdout
    assert (site / "webagents.md").read_bytes() == data


@pytest.fixture(name="url")
def _url() -> object:
    pages = {
        "/webagents.md": ("text/markdown", BROKEN),
        "/": ("text/html", '<meta name="webagents-md" content="/webagents.md">'),
        "/bare": ("text/html", "<p>"),
    }

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            kind, body = pages.get(self.path, ("", ""))
            self.send_response(200 if kind else 404)
            self.send_header("content-type", kind)
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.mark.process
@pytest.mark.parametrize("path", ["/", "/webagents.md"])
def test_a_url_of_a_page_or_a_manifest(
    url: str, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page leads to its manifest, whose address the findings name."""
    # The page never offers what the manifest declares.
    monkeypatch.setattr(browser_checks, "LATE_S", 0.2)
    result = check(url + path, "--format", "concise")

    assert result.exit_code == 1
    assert f"{url}/webagents.md:8:1: error[unreadable-param]" in result.stdout


def test_a_page_without_a_manifest_has_a_remedy() -> None:
    """If a page was typed; the URL of a wrong manifest has another error."""
    with web() as sites:
        page = Answer("<!doctype html><title>Plain</title>")
        origin = sites.site({"/": page, "/webagents.md": page})
        plain, wrong = check(f"{origin}/"), check(f"{origin}/webagents.md")

    assert (plain.exit_code, wrong.exit_code) == (2, 2)
    assert f"`{origin}/` has no manifest - the page announces none" in plain.stderr
    assert f"`webagent-dev extract {origin}/` drafts it" in plain.stderr
    assert "answers every address with its index.html" in wrong.stderr


def test_without_httpx_the_error_names_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """One sentence with the line for pip."""
    monkeypatch.setitem(sys.modules, "httpx", None)
    result = check("https://shop.example/webagents.md")

    assert result.exit_code == 2
    assert 'run `pip install "webagent-core[http]"`' in result.stderr


def test_without_playwright_a_site_is_checked_all_the_same(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its files and its server; one line says that no page was opened."""
    (site / "index.html").write_text("<!doctype html><head><title>Shop</title></head>")
    for module in ("playwright", "playwright.async_api"):
        monkeypatch.setitem(sys.modules, module, None)
    with hosting(site) as server:
        result = check(server.url)

    assert "the page was not opened" in result.stdout
    assert "missing-output" in result.stdout


@pytest.mark.process
def test_a_file_is_checked_without_what_only_pages_need(site: Path) -> None:
    """Neither the tools of a page nor the network are loaded, so the answer is there at once."""
    code = (
        "import sys\nfrom webagent_dev.cli.main import main\n"
        "try: main(['check'])\n"
        "finally: print(sorted({'asyncio', 'ssl', 'webagent.registry'} & set(sys.modules)))"
    )
    printed = subprocess.run(
        [sys.executable, "-c", code], cwd=site, capture_output=True, text=True, check=False
    )

    assert printed.stdout.endswith("[]\n"), printed.stderr
