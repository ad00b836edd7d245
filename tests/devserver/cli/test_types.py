"""`webagent-dev types`: declarations, and an interface for the site's own code."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.tsc import COMPILER, MANIFEST, compile_errors
from webagent import generate_typescript, parse
from webagent_dev.cli.main import main

SITE = """
const tools: Implements<WebAgentTools> = {
  search(query, limit = 20) {
    return [{ id: query, price: limit }];
  },
  async "pay-now"(...ids) {
    return { paid: ids.length > 0 };
  },
};
Object.assign(globalThis, tools);
"""


def types(*arguments: str, stdin: str = MANIFEST) -> Result:
    return CliRunner().invoke(main, ["types", "-", *arguments], input=stdin)


def test_declarations() -> None:
    """They are those of the package, with documentation."""
    bare = MANIFEST.replace("## Types", "## Kinds")

    assert types(stdin=bare).stdout == generate_typescript(parse(bare), docs=True)


@pytest.mark.conformance
@pytest.mark.process
def test_other_files_see_the_declarations(tmp_path: Path) -> None:
    """With any names of shared types, next to types of the page and other declarations."""
    text = MANIFEST.replace("Product", "Event")
    (tmp_path / "tools.d.ts").write_text(types(stdin=text).stdout)
    (tmp_path / "site.ts").write_text(
        "const right: Promise<number> = global.search('a').then((found) => found[0]!.price);\n"
        "const wrong: string = global.search(1);\n"
    )
    command = [COMPILER, "--strict", "--noEmit", "--lib", "es2022,dom", "--types", "", "--pretty"]
    files = ["false", "tools.d.ts", "site.ts"]
    done = subprocess.run([*command, *files], cwd=tmp_path, capture_output=True, text=True)

    assert [line.partition(":")[0] for line in done.stdout.splitlines() if line[0] != " "] == [
        "site.ts(2,7)",
        "site.ts(2,37)",
    ]


def test_a_file_is_written(tmp_path: Path) -> None:
    """`-o` names it; a folder that is not there is misuse."""
    path = tmp_path / "tools.d.ts"

    assert types("-o", str(path)).exit_code == 0
    assert path.read_text() == types().stdout
    missing = types("-o", str(tmp_path / "no" / "tools.d.ts"))
    assert missing.exit_code == 2
    assert "cannot be written" in missing.stderr


@pytest.mark.conformance
@pytest.mark.process
def test_the_interface_compiles_and_finds_drift() -> None:
    """An implementation compiles under `--strict`; one that differs from the manifest does not."""
    module = types("--implement").stdout
    programs = {
        "alone": module,
        "right": module + SITE,
        "result": module + SITE.replace("price: limit", "prize: limit"),
        "missing": module + SITE.replace("pay-now", "payNow"),
        "argument": module + SITE.replace("search(query, ", "search(query: number, "),
        "more": module + SITE.replace("limit = 20", "limit: number | undefined, page: number"),
        "empty": types("--implement", stdin="# S\n").stdout,
    }

    # Each alone, since all declare the same globals.
    wrong = {name for name, program in programs.items() if compile_errors({name: program})}

    assert wrong == {"result", "missing", "argument", "more"}
    assert "export interface Product {" in module
    assert "\nexport interface WebAgentTools {\n" in module


def test_a_shared_type_with_a_taken_name_is_a_usage_error() -> None:
    """It would be declared twice."""
    result = types("--implement", stdin=MANIFEST.replace("Product", "WebAgentTools"))

    assert result.exit_code == 2
    assert "rename it in the manifest" in result.stderr


def test_errors_of_the_manifest_are_reported_with_the_declarations(tmp_path: Path) -> None:
    """On standard error; the declarations can still be used."""
    file = tmp_path / "webagents.md"
    file.write_text("# Shop\n\n## search\n\n### Params\n\n- `query` (string[, required): Words.\n")
    for command in ("types", "schema"):
        result = CliRunner().invoke(main, [command, str(file)])

        assert result.exit_code == 0
        assert "search" in result.stdout
        assert "`webagent-dev check` shows the errors" in result.stderr
        assert "`webagent-dev check` shows the errors" not in result.stdout
