"""The command line, as far as it ends by itself."""

from __future__ import annotations

import os
import pkgutil
import signal
import subprocess
import sys
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from webagent_dev import cli
from webagent_dev.cli.main import COMMANDS as HELP
from webagent_dev.cli.main import main
from webagent_dev.config.resolve import Overrides

ADDRESSED = (
    *(("check", "ADDRESS"), ("types", "ADDRESS"), ("schema", "ADDRESS"), ("extract", "ADDRESS")),
    *(
        ("login", "ADDRESS", "--session", "x"),
        ("token", "ADDRESS"),
        ("connect", "cursor", "ADDRESS"),
        ("mcp", "ADDRESS"),
    ),
    *(("call", "x", "--site", "ADDRESS"), ("run", "x", "--site", "ADDRESS"), ("test", "ADDRESS")),
    *(("eval", "cases.json", "ADDRESS"), ("build", ".", "--out", "out", "--llm", "ADDRESS#x")),
)


@pytest.mark.process
def test_the_version_is_that_of_the_package() -> None:
    """Both names of the command print it."""
    printed = subprocess.run(
        [sys.executable, "-m", "webagent_dev", "--version"],
        capture_output=True,
        text=True,
        check=True,
    )

    assert printed.stdout == f"webagent-dev {version('webagent-dev')}\n"


COMMANDS = {
    "serve": "webagent-dev serve my-site --open",
    "check": "webagent-dev check my-site --ignore missing-output",
    "fmt": "webagent-dev fmt --check my-site",
    "types": "webagent-dev types my-site --implement -o my-site/webagent-tools.ts",
    "schema": "webagent-dev schema my-site",
    "explain": "webagent-dev explain unclosed-fence",
    "init": "webagent-dev init --into my-site",
    "extract": "webagent-dev extract my-site -o my-site/webagents.md",
    "test": "webagent-dev test my-site --format html -o report.html",
    "call": "webagent-dev call searchBooks query=harbour limit=3 --site my-site",
    "bundle": "webagent-dev bundle --add rapidfuzz --add dist/mine-1.0-py3-none-any.whl",
    "build": "webagent-dev build my-site --out public --base /app/",
    "playground": "webagent-dev playground --build public/playground",
    "run": "webagent-dev run 'search for books about \"harbour\"' --site my-site",
    "demo": "webagent-dev demo 'add \"The Harbour Towns\" to the basket' --headed",
    "eval": "webagent-dev eval my-site/evals.json my-site --schemas-only",
    "connect": "webagent-dev connect claude-code --write",
    "models": "webagent-dev models my-site --try",
    "login": "webagent-dev login https://shop.example/ --session shop",
    "lsp": "webagent-dev lsp",
    "mcp": "webagent-dev mcp my-site --serve",
    "sessions": "webagent-dev sessions shop --delete",
    "token": 'curl -H "Authorization: Bearer $(webagent-dev token)"',
    "doctor": "webagent-dev doctor",
    "completion": "webagent-dev completion bash >> ~/.bashrc",
}
"""Each command, and the example that its help shows."""


def test_every_command_has_an_example() -> None:
    """The table of examples has all commands."""
    assert set(COMMANDS) == set(main.commands)


def test_the_table_of_commands_agrees_with_the_modules() -> None:
    """A module with a command is in it, with the first sentence of the command's docstring."""
    modules = {
        module.name: import_module(f"webagent_dev.cli.{module.name}")
        for module in pkgutil.iter_modules(cli.__path__)
    }
    found = {name: module.command for name, module in modules.items() if hasattr(module, "command")}

    assert {name: one.get_short_help_str(500) for name, one in found.items()} == HELP
    assert {name: one.name for name, one in found.items()} == {name: name for name in HELP}


@pytest.mark.process
def test_the_list_of_commands_imports_none() -> None:
    """Nor does the version; a command imports itself alone."""
    code = (
        "import sys\nfrom webagent_dev.cli.main import COMMANDS, main\n"
        "try: main(sys.argv[1:])\n"
        "finally: print(sorted(n for n in COMMANDS if f'webagent_dev.cli.{n}' in sys.modules))"
    )
    printed = [
        subprocess.run(
            [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False
        ).stdout.splitlines()[-1]
        for arguments in (["--help"], ["--version"], ["schema", "--help"])
    ]

    assert printed == ["[]", "[]", "['schema']"]


def test_the_options_of_serve_are_the_overrides_of_its_configuration() -> None:
    """The type checker knows their names; click gives them as they are declared."""
    options = {param.name for param in main.commands["serve"].params}

    assert options == {"root", *Overrides.__annotations__}


@pytest.mark.parametrize(
    ("typed", "meant"), [(["chekc"], "'check'"), (["check", "--formt", "x"], "'--format'")]
)
def test_a_mistyped_word_is_corrected(typed: list[str], meant: str) -> None:
    """Of commands, also before one was imported, and of options."""
    assert f"Did you mean {meant}?" in CliRunner().invoke(main, typed).stderr


@pytest.mark.process
@pytest.mark.parametrize(
    "arguments", [[], ["--help"], *([name, "--help"] for name in COMMANDS)], ids=" ".join
)
def test_help_is_complete_and_imports_nothing_heavy(arguments: list[str]) -> None:
    """The help of each command shows an example."""
    code = (
        "import sys\nfrom webagent_dev.cli.main import main\n"
        f"try: main({arguments!r})\n"
        "finally: print(sorted({'starlette', 'uvicorn', 'pydantic'} & set(sys.modules)))"
    )
    printed = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )

    assert printed.stdout.endswith("[]\n")
    if len(arguments) == 2:
        assert COMMANDS[arguments[0]] in printed.stdout
    else:
        assert COMMANDS["serve"].split()[1] in printed.stdout + printed.stderr


def test_the_list_of_commands_cuts_no_sentence() -> None:
    """In a narrow terminal sentences are broken, not cut."""
    printed = CliRunner().invoke(main, ["--help"], terminal_width=60).output

    assert "..." not in printed.partition("Commands:")[2]
    assert all(len(line) <= 60 for line in printed.splitlines())


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["serve", "nothing"], "`nothing` does not exist"),
        (["serve", ".", "--port", "70000"], "`70000` is not a port - write a number from 1 to"),
        (["serve", ".", "--port", "abc"], "`abc` is not a port - write a number from 1 to 65535"),
        (["playground", "--port", "abc"], "`abc` is not a port - write a number from 1 to 65535"),
        (["serve", ".", "--host", "192.0.2.1"], "`192.0.2.1` port 8000 cannot be used"),
        (["serve", ".", "--host", "no such host"], "`no such host` port 8000 cannot be used"),
        (["serve", ".", "--host", "a" * 300], "cannot be used"),
    ],
)
def test_an_error_of_serve_is_one_sentence(
    tmp_path: Path, arguments: list[str], sentence: str
) -> None:
    """On the error stream, without a traceback."""
    before = Path.cwd()
    try:
        os.chdir(tmp_path)
        result = CliRunner().invoke(main, arguments)
    finally:
        os.chdir(before)

    assert result.exit_code != 0
    assert sentence in result.stderr
    assert isinstance(result.exception, SystemExit)


@pytest.mark.process
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_gets_its_completion(shell: str) -> None:
    """The script asks this program."""
    result = CliRunner().invoke(main, ["completion", shell])

    assert result.exit_code == 0
    assert "_WEBAGENT_DEV_COMPLETE" in result.stdout


@pytest.mark.process
def test_completion_knows_the_commands() -> None:
    """The words of the shell are completed."""
    environment = {
        **os.environ,
        "_WEBAGENT_DEV_COMPLETE": "bash_complete",
        "COMP_WORDS": "webagent-dev ex",
        "COMP_CWORD": "1",
    }
    code = "from webagent_dev.cli.main import main; main(prog_name='webagent-dev')"
    printed = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=False
    )

    assert set(printed.stdout.split()) == {"plain,extract", "plain,explain"}


@pytest.mark.process
def test_ctrl_c_ends_a_command_whose_thread_still_reads() -> None:
    """A thread that waits for a line neither keeps the process nor breaks its end."""
    code = (
        "import sys, threading, click\nfrom webagent_dev.cli.main import main\n"
        "@main.command()\n"
        "def read():\n"
        "    threading.Thread(target=sys.stdin.buffer.readline, daemon=True).start()\n"
        "    raise KeyboardInterrupt\n"
        "main(['read'])"
    )

    assert interrupted([sys.executable, "-c", code]) == (130, "\nAborted!\n")


@pytest.mark.process
@pytest.mark.parametrize("when", ["confirm('Sure?')", "prompt('Name')"])
def test_a_question_that_is_interrupted_ends_with_the_code_of_ctrl_c(when: str) -> None:
    """Unlike the end of the input, which is a failure."""
    code = (
        "import click, os, signal, threading\nfrom webagent_dev.cli.main import main\n"
        "@main.command()\n"
        "def ask():\n"
        "    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
        f"    click.{when}\n"
        "main(['ask'])"
    )

    assert interrupted([sys.executable, "-c", code])[0] == 130
    assert interrupted([sys.executable, "-c", code], stdin=subprocess.DEVNULL)[0] == 1


@pytest.mark.process
def test_ctrl_c_during_the_start_is_quiet() -> None:
    """Nothing of Python's own is shown."""
    code = (
        "import sys\n"
        "class Slow:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'webagent_dev.cli':\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Slow())\n"
        "from webagent_dev.__main__ import run\n"
        "run()"
    )

    assert interrupted([sys.executable, "-c", code]) == (130, "")


def interrupted(command: list[str], stdin: int = subprocess.PIPE) -> tuple[int, str]:
    """Return with which code a command ended, and what it said of it."""
    with subprocess.Popen(
        command,
        stdin=stdin,
        stderr=subprocess.PIPE,
        text=True,
        # A shell makes programs in the background ignore Ctrl-C, and so the programs that they start.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as process:
        ended = process.wait(30)
        assert process.stderr is not None
        return ended, process.stderr.read()


def test_what_a_command_writes_is_named_in_one_way() -> None:
    """`-o` and `--output`, for a file as for a folder."""
    context = click.Context(main)
    found = {
        name: param.opts
        for name in main.list_commands(context)
        if (command := main.get_command(context, name)) is not None
        for param in command.params
        if param.name in ("out", "output")
    }

    assert {"build", "bundle", "extract", "types"} <= found.keys()
    assert all({"-o", "--output"} <= {*opts} for opts in found.values()), found


@pytest.mark.parametrize("typed", [["serve"], ["build", "-o", "public"]])
def test_a_folder_that_nobody_named_has_to_look_like_a_site(
    typed: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A home folder is not given out by mistake; the remedy is to write it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".bash_history").write_text("export KEY=1")
    result = CliRunner().invoke(main, typed)

    assert result.exit_code in (1, 2)
    assert f"`{tmp_path.resolve()}` does not look like a site" in result.stderr
    assert "write the folder, such as `webagent-dev serve my-site`, or `.`" in result.stderr
    assert not (tmp_path / "public").exists()


@pytest.mark.parametrize("sign", ["index.html", "webagents.md", "webagent.toml", "--proxy", "."])
def test_a_folder_that_was_named_or_looks_like_a_site_is_served(
    sign: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command then fails for the next reason only, which is the address."""
    monkeypatch.chdir(tmp_path)
    if not sign.startswith(("-", ".")):
        (tmp_path / sign).write_text("")
    more = {"--proxy": ["--proxy", "http://localhost:5173"], ".": ["."]}.get(sign, [])
    result = CliRunner().invoke(main, ["serve", "--host", "192.0.2.1", *more])

    assert "`192.0.2.1` port 8000 cannot be used" in result.stderr


@pytest.mark.parametrize("address", ["http://host:1:2/", "HTTP://[::1/", "https://host:99999/"])
@pytest.mark.parametrize("words", ADDRESSED, ids=" ".join)
def test_an_address_that_cannot_be_one_is_the_mistake_of_who_typed_it(
    words: tuple[str, ...], address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One sentence and the exit code 2, in every command that takes an address."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cases.json").write_text('{"cases": [{"messages": "x", "expectedCall": []}]}')
    result = CliRunner().invoke(main, [word.replace("ADDRESS", address) for word in words])

    assert result.exit_code == 2, result.output
    assert isinstance(result.exception, SystemExit)
    assert f"`{address}" in result.stderr
    assert " - write " in result.stderr


@pytest.mark.process
def test_a_server_answers_before_the_language_is_loaded() -> None:
    """A folder without a manifest and without a model needs neither, and its first answer waits for no import."""
    heavy = {"pydantic", "webagent.parser", "webagent.codegen", "webagent.llm.chat"}
    heavy |= {"webagent_site.llm.gateway", "webagent_dev.agents.goal_api.intents", "websockets"}
    code = (
        "import sys\nimport webagent_dev.server.runner\n"
        "from webagent_dev.config.resolve import resolve_config\nresolve_config('.')\n"
        f"print(sorted({heavy!r} & set(sys.modules)))"
    )
    printed = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )

    assert printed.stdout == "[]\n", printed.stderr
