"""`webagent-dev call`, `run` and `demo`: tools and goals, from the terminal."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.chromium import find_chromium
from tests.e2e.command import in_process
from tests.e2e.conftest import TEMPLATE, Serve
from tests.model_server import ModelServer, asks, refuses
from tests.provider_turns import answer
from tests.server import Server, hosting
from tests.state import new_state


@pytest.fixture(autouse=True)
def _no_open_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands start a page of their own; in the common state a server of other tests has one."""
    monkeypatch.setenv("XDG_STATE_HOME", str(new_state(tmp_path)))


async def command(*arguments: str | Path) -> tuple[int, str, str]:
    """Run a command as a program without a terminal; return its exit code and what it writes."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "webagent_dev", *map(str, arguments)),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    return process.returncode or 0, out.decode(), err.decode()


async def test_call_writes_what_a_tool_gives() -> None:
    """In a folder, with arguments by name."""
    arguments = ("searchBooks", "query=harbour", "limit=1")
    code, out, _ = await command("call", *arguments, "--site", TEMPLATE)
    found = json.loads(out)

    assert code == 0
    assert len(found["books"]) == 1
    assert "Harbour" in found["books"][0]["title"]


@pytest.mark.conformance
async def test_call_reaches_a_server(serve: Serve, shop: Path) -> None:
    """At an address, on a page of it, with one object; the result is whole for programs."""
    url = serve(shop).url
    given = '{"query": "harbour", "limit": 2}'
    code, out, _ = await in_process("call", "searchBooks", given, "--site", url, "--format", "json")
    result = json.loads(out)

    assert code == 0
    assert result["ok"] is True
    assert {"value", "logs", "calls", "duration_ms"} <= set(result)


@pytest.mark.conformance
async def test_call_reaches_a_component_in_a_frame() -> None:
    """Straight from a folder, too."""
    arguments = ("visit_cancel", "--site", TEMPLATE, "--page", "contact.html", "--format", "json")
    _, out, err = await in_process("call", *arguments)

    assert json.loads(out)["ok"] is True, err


@pytest.mark.conformance
async def test_an_unknown_tool_is_reported_with_the_known_ones() -> None:
    """Those of the page that was named, its forms among them."""
    code, out, err = await in_process("call", "nope", "--site", TEMPLATE, "--page", "contact.html")

    assert (code, out) == (2, "")
    assert "the page `/contact.html` offers no tool `nope` - write one of `searchBooks`" in err
    assert "`contactForm`" in err


@pytest.mark.conformance
async def test_an_unknown_tool_of_a_page_without_tools(tmp_path: Path) -> None:
    """There is none to name; the message says where to look and how to declare one."""
    (tmp_path / "index.html").write_text("<!doctype html><title>Empty</title>", "utf-8")
    code, out, err = await in_process("call", "nope", "--site", tmp_path)

    assert (code, out) == (2, "")
    assert "the page `/` offers no tool - write `--page`" in err
    assert "`webagent-dev extract` drafts" in err

    (tmp_path / "package.json").write_text('{"devDependencies": {"vite": "8"}}', "utf-8")
    _, _, err = await in_process("call", "nope", "--site", tmp_path)
    assert "this is a project of Vite, whose pages need its server - write `--site` with its" in err
    with hosting(tmp_path) as server:
        _, _, err = await in_process("call", "nope", "--site", tmp_path)
    assert f"write `--site {server.url}`" in err


@pytest.mark.conformance
async def test_a_call_on_another_page_names_the_option(tmp_path: Path) -> None:
    """The remedy can be typed."""
    (tmp_path / "index.html").write_text("<script>globalThis.pay = async () => 1</script>", "utf-8")
    tool = "# Shop\n\n## pay\n### Params\n### Behavior\n- paths: /a/*, /cart.html\n"
    (tmp_path / "webagents.md").write_text(tool, "utf-8")
    code, out, _ = await in_process("call", "pay", "--site", tmp_path)

    assert code == 1
    assert out.startswith("denied: ")
    assert out.endswith("help: write `--page /cart.html`\n")


@pytest.mark.conformance
async def test_a_call_that_fails_says_how() -> None:
    """The exit code is 1."""
    code, out, _ = await in_process("call", "searchBooks", "--site", TEMPLATE)

    assert code == 1
    assert out.startswith("invalid_arguments: `searchBooks` needs `query`")


@pytest.mark.conformance
async def test_misuse_of_call_is_reported(tmp_path: Path) -> None:
    """The exit code is 2, and the sentence says what to write."""
    for arguments, words in (
        (("searchBooks", "harbour", "--site", TEMPLATE), "write `query=harbour`"),
        (("searchBooks", "{not json", "--site", TEMPLATE), "is not JSON"),
        (("serchBooks", "--site", TEMPLATE), "offers no tool `serchBooks` - write `searchBooks`"),
        (("searchBooks", "--site", TEMPLATE, "--page", "no.html"), "answers with status 404"),
        (("searchBooks", "--site", tmp_path), "has no index.html"),
    ):
        code, _, err = await in_process("call", *arguments)

        assert code == 2
        assert words in err


async def test_run_reaches_a_goal_without_a_model() -> None:
    """Each step is printed; the last line has the outcome."""
    code, out, _ = await command("run", 'search for books about "harbour"', "--site", TEMPLATE)

    assert code == 0
    assert 'step      searchBooks {"query": "harbour"}' in out
    assert "The Harbour Towns" in out.splitlines()[-1]
    assert out.splitlines()[-1].startswith("  done")


@pytest.mark.conformance
async def test_without_anybody_to_ask_nothing_is_written() -> None:
    """`--yes` says yes beforehand."""
    goal = "add the-harbour-towns to the basket"
    script = (
        asks(("make_plan", {"plan": "I will add it."})),
        asks(("call_tool", {"name": "addToBasket", "arguments": {"bookId": "the-harbour-towns"}})),
        asks(("finish", {"text": "It is in the basket.", "success": True})),
    )
    told = []
    for options in ((), ("--yes",)):
        with ModelServer(*script, cycle=True) as model:
            llm = ("--llm-base-url", model.url, "--llm-model", "scripted-1")
            told.append((await in_process("run", goal, "--site", TEMPLATE, *llm, *options))[1])

    assert "denied: the person did not allow to call `addToBasket`" in told[0]
    assert "denied" not in told[1]
    assert "done      It is in the basket." in told[1]


@pytest.mark.conformance
async def test_without_a_terminal_it_says_how_to_allow_what_writes() -> None:
    """A run that failed for want of an answer ends with the option, and what to declare."""
    code, out, _ = await in_process(
        "run", 'add "The Harbour Towns" to the basket', "--site", TEMPLATE
    )

    assert code == 1
    assert "`--yes` allows what writes" in out.splitlines()[-1]


async def test_without_a_terminal_it_says_what_its_option_does_not_allow() -> None:
    """It advises no option that is there already."""
    goal = "go to http://127.0.0.1:9/"
    code, out, _ = await in_process("run", goal, "--site", TEMPLATE, "--yes")

    assert code == 1
    assert "`--yes` allows neither what cannot be undone nor another site" in out.splitlines()[-1]


@pytest.mark.conformance
async def test_the_result_of_a_run_is_there_for_programs() -> None:
    """Nothing else is written."""
    code, out, _ = await in_process(
        "run", 'search for books about "harbour"', "--site", TEMPLATE, "--format", "json"
    )
    result = json.loads(out)

    assert code == 0
    assert [call["name"] for call in result["calls"]] == ["searchBooks"]
    assert result["spent"]["steps"] == result["steps"]


async def test_a_run_gives_data_by_a_schema(tmp_path: Path) -> None:
    """The model has to answer with such data; a file that holds no schema is misuse."""
    schema, broken = tmp_path / "price.json", tmp_path / "broken.json"
    schema.write_text('{"type": "object", "required": ["price"]}', encoding="utf-8")
    broken.write_text('{"type": "objct"}', encoding="utf-8")
    script = (
        asks(("make_plan", {"plan": "I will look."})),
        asks(("finish", {"text": "It costs 8.5.", "success": True, "data": {}})),
        asks(("finish", {"text": "It costs 8.5.", "success": True, "data": {"price": 8.5}})),
    )
    with ModelServer(*script) as model:
        llm = ("--llm-base-url", model.url, "--llm-model", "scripted-1", "--format", "json")
        code, out, _ = await in_process("run", "x", "--site", TEMPLATE, "--schema", schema, *llm)
    misused = [
        await in_process("run", "x", "--site", TEMPLATE, "--schema", path)
        for path in (broken, tmp_path / "none.json")
    ]

    assert (code, json.loads(out)["value"]) == (0, {"price": 8.5})
    assert [code for code, _, _ in misused] == [2, 2]
    assert "the schema of the answer cannot be used - type: expected" in misused[0][2]
    assert "cannot be read" in misused[1][2]


@pytest.mark.conformance
async def test_a_run_goes_on_with_the_second_model(shop: Path) -> None:
    """The terminal reports it once; a model that is typed has no second one."""
    end = answer("messages", "", "finish", {"text": "There are 3.", "success": True})
    refused = [refuses(401, "no")] * 2
    with ModelServer(*refused) as one, ModelServer(end) as two:
        (shop / "webagent.toml").write_text(
            f'[llm]\nmodel = "scripted-1"\nbase_url = "{one.url}"\n'
            f'[llm.fallback]\nmodel = "anthropic:scripted-2"\nbase_url = "{two.url}"\n'
        )
        code, out, _ = await in_process("run", "x", "--site", shop)
        alone = await in_process("run", "x", "--site", shop, "--llm-model", "scripted-3")

    assert (code, alone[0]) == (0, 1)
    assert out.count("with scripted-2: ") == 1
    assert "done      There are 3." in out
    assert "scripted-2" not in alone[1]
    assert [len(one.requests), len(two.requests)] == [2, 1]


@pytest.mark.conformance
async def test_a_goal_that_is_not_reached_is_a_failure() -> None:
    """The exit code is 1; so it is when there are no steps left."""
    with ModelServer(asks(("get_summary", {})), cycle=True) as model:
        llm = ("--llm-base-url", model.url, "--llm-model", "scripted-1")
        code, out, _ = await in_process("run", "x", "--site", TEMPLATE, "--steps", "1", *llm)

    assert code == 1
    assert "not done" in out


@pytest.mark.conformance
async def test_a_run_is_kept_and_runs_again_without_planning(tmp_path: Path) -> None:
    """The file has no values of its own but those of the goal, which may be others the next time."""
    file = tmp_path / "search.json"
    goal = 'search for books about "harbour"'
    code, out, err = await command("run", goal, "--site", TEMPLATE, "--save-program", file)
    assert (code, err) == (0, ""), out

    code, again, _ = await command("run", "--site", TEMPLATE, "--program", file)
    assert code == 0
    assert out.splitlines()[-1] == f"wrote {file}"
    assert again.splitlines()[-1] == out.splitlines()[-2]
    assert "I will take the steps again" in again

    other = goal.replace("harbour", "tea")
    code, out, _ = await command(
        "run", other, "--site", TEMPLATE, "--program", file, "--format", "json"
    )
    assert json.loads(out)["calls"][0]["arguments"] == {"query": "tea"}
    assert json.loads(out)["value"]["total"] == 1

    code, _, err = await command("run", "find tea", "--site", TEMPLATE, "--program", file)
    assert code == 2
    assert 'its goal is `search for books about "{query}"`' in err

    bound = json.loads(file.read_text("utf-8"))
    bound["steps"][0]["given"] = {"digest": "0" * 64}
    file.write_text(json.dumps(bound), "utf-8")
    code, out, err = await command("run", other, "--site", TEMPLATE, "--program", file)
    assert (code, "take the steps again" in out) == (0, False)
    assert "the program was not used - the agent had decided one of its steps" in err

    code, out, err = await command(
        "run", goal, "--site", TEMPLATE, "--save-program", tmp_path / "none" / "search.json"
    )
    assert (code, out) == (2, "")
    assert "its folder does not exist" in err


def text_of(path: str) -> str:
    return Path(path).read_text("utf-8")


@pytest.mark.conformance
async def test_a_run_is_written_as_a_test_and_a_case_that_pass(tmp_path: Path) -> None:
    """Both are green at once, in a real browser: a read, a write with a reference, and the page itself."""
    site = tmp_path / "shop"
    shutil.copytree(TEMPLATE, site, ignore=shutil.ignore_patterns("tests", "node_modules"))
    tests = site / "tests"
    for goal, written in (
        ('search for books about "harbour"', "assert_matches(step_1, "),
        ('put 2 of "The Harbour Towns" into the basket', 'bookId=step_1["books"][0]["id"]'),
        ("open the contact page", 'get_by_role("link", name="Contact", exact=True).click()'),
    ):
        code, out, err = await command("run", goal, "--site", site, "--yes", "--save-test", tests)
        assert (code, err) == (0, ""), out
        assert written in text_of(out.splitlines()[-2].removeprefix("wrote "))

    for case in tests.glob("*.json"):
        code, out, _ = await command("eval", case, site)
        assert code == 0, out
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tests)),
        cwd=site,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    out_bytes, _ = await process.communicate()
    assert "3 passed" in out_bytes.decode(), out_bytes.decode()


async def test_a_file_that_is_not_a_program_is_a_usage_error(tmp_path: Path) -> None:
    """Before a browser starts."""
    file = tmp_path / "program.json"
    file.write_bytes(b"\xff")
    for text in (None, '{"version": 1}', "[" * 10_000):
        if text is not None:
            file.write_text(text)
        code, out, err = await command("run", "--program", file, "--site", TEMPLATE)
        assert (code, out) == (2, "")
        assert str(file) in err
    assert (await command("run", "--site", TEMPLATE))[2].startswith("Error: there is no goal")


@pytest.mark.conformance
async def test_the_demo_runs_in_the_packaged_shop() -> None:
    """Without any argument."""
    code, out, _ = await command("demo")

    assert code == 0
    assert "Catchword Books" in out
    assert out.splitlines()[-1].startswith("  done")


@pytest.mark.conformance
async def test_the_agent_of_the_template_needs_public_names_only(template: Server) -> None:
    """`run_agent.py` finds the manifest of a running site, and reaches a goal in it."""
    chromium = find_chromium()
    assert chromium
    process = await asyncio.create_subprocess_exec(
        *(
            sys.executable,
            TEMPLATE / "run_agent.py",
            template.url,
            'search for books about "harbour"',
        ),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "CHROMIUM": chromium},
    )
    out, err = await process.communicate()

    assert process.returncode == 0, err.decode()
    assert out.startswith(b"Catchword Books: searchBooks, ")
    assert b"The Harbour Towns" in out.splitlines()[-1]


@pytest.mark.conformance
async def test_cases_are_run_in_fresh_pages(tmp_path: Path) -> None:
    """Tools are really called, what a case expects may write, and no case sees another's basket."""
    messages = [
        {"role": "user", "type": "message", "content": 'add "The Harbour Towns" to my basket'}
    ]
    result = {"count": 1, "items": [{"bookId": "the-harbour-towns"}]}
    calls = [
        {"functionName": "searchBooks"},
        {"functionName": "addToBasket", "arguments": {"bookId": "the-harbour-towns"}, "result": result},
    ]  # fmt: skip
    cases = tmp_path / "evals.json"
    cases.write_text(json.dumps([{"messages": messages, "expectedCall": calls}] * 2))
    code, out, err = await command("eval", cases, TEMPLATE)

    assert code == 0, out + err
    assert "2 of 2 passed" in out


async def test_the_day_of_a_case_is_that_of_its_page(tmp_path: Path) -> None:
    """The agent reads `tomorrow` by it, and so do the scripts of the page, whose clock goes on."""
    (tmp_path / "index.html").write_text(
        """<!doctype html><title>Dentist</title><script>
        const begun = Date.now()
        window.bookSlot = async (day) => {
          while (Date.now() < begun + 50) await new Promise((done) => setTimeout(done, 10))
          return `${new Date().getFullYear()} ${day}`
        }
        </script>""",
        encoding="utf-8",
    )
    (tmp_path / "webagents.md").write_text(
        "# Dentist\n\n## bookSlot\n\nBook a slot.\n\n### Params\n\n- `day` (string, required, date): The day.\n",
        encoding="utf-8",
    )
    call = {"functionName": "bookSlot", "arguments": {"day": "2031-03-01"}, "result": "2031 2031-03-01"}  # fmt: skip
    messages = [{"role": "user", "type": "message", "content": "book a slot for tomorrow"}]
    cases = tmp_path / "evals.json"
    cases.write_text(json.dumps([{"messages": messages, "expectedCall": [call]}]))

    code, out, err = await command("eval", cases, tmp_path, "--now", "2031-02-28T23:30")

    assert code == 0, out + err


@pytest.mark.conformance
async def test_the_cases_of_the_template_pass_in_its_pages() -> None:
    """The planner without a model passes all of them where tools are really called."""
    code, out, _ = await in_process("eval", TEMPLATE / "evals.json", TEMPLATE)

    assert code == 0, out


@pytest.mark.conformance
async def test_a_missing_page_is_reported(tmp_path: Path) -> None:
    """The exit code is 2, before any case is run."""
    code, out, err = await in_process("eval", TEMPLATE / "evals.json", tmp_path)

    assert (code, out) == (2, "")
    assert "has no index.html" in err
