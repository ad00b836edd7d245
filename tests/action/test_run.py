"""`action/run.sh`: its annotations, its summary and its files, in real runs of the real commands."""

from __future__ import annotations

import json
import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

import jsonschema
import pytest

from tests.action.runner import ROOT, RULES_URL, Run, run
from tests.lock import constraints_file
from tests.npm_kit import installed

pytestmark = [pytest.mark.process, pytest.mark.e2e, pytest.mark.timeout(300)]
PACKAGES = {"@microsoft/jest-sarif": "1.0.0-beta.0"}
SITE = "web site"
"""The folder of the site; with a space, as folders have."""


@dataclass(frozen=True)
class Fault:
    """An edit of the shop, and the annotation that it has to have."""

    title: str
    level: str
    file: str
    before: str
    after: str
    section: str
    """The tool in whose section the line is."""
    line: str
    """How the line begins."""


FAULTS = (
    Fault(
        "webagent invalid-type",
        "error",
        "webagents.md",
        "- `limit` (number, optional, default=24)",
        "- `limit` (Array<number, optional, default=24)",
        "searchBooks",
        "- `limit`",
    ),
    Fault(
        "webagent sample-arguments",
        "warning",
        "webagents.md",
        'filterByCategory("Nature")',
        "filterByCategory(7)",
        "filterByCategory",
        "const { books }",
    ),
    Fault(
        "webagent unknown-behavior",
        "warning",
        "webagents.md",
        "- title: Look at a book\n- effect: read",
        "- title: Look at a book\n- effect: reads",
        "getBookDetails",
        "- effect: reads",
    ),
    Fault(
        "listCategories: result",
        "error",
        "js/tools.js",
        "async () => categories();",
        "async () => categories().map((one) => ({ ...one, count: `${one.count}` }));",
        "listCategories",
        "Array<",
    ),
    Fault(
        "getBasket: exists",
        "error",
        "js/tools.js",
        "globalThis.getBasket =",
        "globalThis.readBasket =",
        "getBasket",
        "## getBasket",
    ),
)


def shop_in(folder: Path, *faults: Fault) -> Path:
    """Copy the shop into a folder and break it; return the manifest."""
    site = shutil.copytree(ROOT / "site_template", folder / SITE)
    for fault in faults:
        file = site / fault.file
        text = file.read_text("utf-8")
        assert text.count(fault.before) == 1, fault.before
        file.write_text(text.replace(fault.before, fault.after), "utf-8")
    return site / "webagents.md"


def line_of(fault: Fault, manifest: Path) -> int:
    """Return the number of the line that is wrong."""
    lines = manifest.read_text("utf-8").splitlines()
    section = lines.index(f"## {fault.section}")
    return next(
        number
        for number, line in enumerate(lines[section:], section + 1)
        if line.startswith(fault.line)
    )


@pytest.fixture(name="broken", scope="module")
def _broken(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, Path]:
    """A run on the shop with five faults, and its manifest."""
    workspace = tmp_path_factory.mktemp("workspace")
    manifest = shop_in(workspace, *FAULTS)
    done = run(
        workspace,
        site=SITE,
        test_options="--only listCategories --only getBasket",
        rules_url=RULES_URL,
    )
    return done, manifest


def test_each_fault_has_its_line(broken: tuple[Run, Path]) -> None:
    """Three of the manifest and two of the pages, as annotations of the manifest."""
    done, manifest = broken
    file = f"{SITE}/webagents.md"
    found = [(one.level, one.file, one.line, one.title) for one in done.annotations]

    assert done.code == 1
    assert found == [(fault.level, file, line_of(fault, manifest), fault.title) for fault in FAULTS]


def test_the_sarif_leads_to_the_pages_of_the_rules(broken: tuple[Run, Path]) -> None:
    """Each rule has an address, and the file of that page exists."""
    done, manifest = broken
    (log,) = json.loads(Path(done.outputs["sarif"]).read_text("utf-8"))["runs"]
    links = [rule["helpUri"] for rule in log["tool"]["driver"]["rules"]]
    places = [one["locations"][0]["physicalLocation"] for one in log["results"]]

    assert len(links) > 60
    for link in links:
        assert (ROOT / "docs/reference/rules" / link.removeprefix(f"{RULES_URL}/")).is_file()
    assert {place["artifactLocation"]["uri"] for place in places} == {"web%20site/webagents.md"}
    assert [place["region"]["startLine"] for place in places] == [
        line_of(fault, manifest) for fault in FAULTS[:3]
    ]


@pytest.mark.conformance
def test_the_sarif_has_the_form_of_its_standard(broken: tuple[Run, Path]) -> None:
    """The schema of SARIF 2.1.0, as Microsoft publishes it, accepts the file with its fixes."""
    folder = installed(PACKAGES, ROOT / ".cache" / "sarif" / "-".join(PACKAGES.values()))
    schemas = folder / "node_modules/@microsoft/jest-sarif/lib/schemas"
    schema = json.loads((schemas / "sarif-2.1.0-rtm.5.json").read_text("utf-8"))
    validator = jsonschema.validators.validator_for(schema)
    log = json.loads((broken[0].reports / "check.sarif").read_text("utf-8"))
    checker = validator(schema, format_checker=validator.FORMAT_CHECKER)

    assert [error.message for error in checker.iter_errors(log)] == []
    assert [*checker.iter_errors(log | {"runs": [{}]})]


def test_the_summary_is_a_table_of_what_is_wrong(broken: tuple[Run, Path]) -> None:
    """A section for each command, with the numbers."""
    done, _ = broken

    assert "### ✗ webagent\\-dev check web site\\/webagents\\.md\n" in done.summary
    assert "### ✗ webagent\\-dev test web site\n" in done.summary
    assert "| error | invalid\\-type | web site\\/webagents\\.md\\:" in done.summary
    assert "| failed | listCategories\\: result | web site\\/webagents\\.md\\:" in done.summary
    assert {path.name for path in Path(done.outputs["reports"]).iterdir()} == {
        *("check.annotations", "check.md", "check.sarif"),
        *("test.annotations", "test.html", "test.md"),
    }


@pytest.mark.conformance
def test_the_shop_itself_has_no_annotation(tmp_path: Path) -> None:
    """All three commands pass, with every tool and case."""
    shop_in(tmp_path)
    done = run(
        tmp_path,
        site=SITE,
        commands="check test eval",
        test_options="--allow-writes",
        eval_options="--schemas-only",
        rules_url=RULES_URL,
    )

    assert done.code == 0, done.log
    assert done.commands == []
    assert json.loads((done.reports / "check.sarif").read_text())["runs"][0]["results"] == []
    assert done.summary.count("### ✓") == 3


@pytest.mark.conformance
def test_a_case_that_does_not_pass_has_its_line(tmp_path: Path) -> None:
    """And the file of the cases is that of the site."""
    cases = shop_in(tmp_path).with_name("evals.json")
    text = cases.read_text("utf-8").replace('"quantity": 2 }', '"quantity": 3 }')
    cases.write_text(text, "utf-8")
    done = run(tmp_path, site=SITE, commands="eval", eval_options="--schemas-only")
    (failed,) = done.annotations

    assert done.code == 1
    assert "sarif" not in done.outputs
    assert (failed.level, failed.file) == ("error", f"{SITE}/evals.json")
    assert failed.title == f"{SITE}/evals.json: Several copies"
    assert text.splitlines()[failed.line].strip() == '"name": "Several copies",'
    assert "`quantity` is 2, expected 3" in failed.text


def test_text_of_a_site_is_no_command(tmp_path: Path) -> None:
    """GitHub follows none that a name brings into the log, and the summary has no markup of it."""
    folder = tmp_path / "::add-mask::[x](https:example)"
    folder.mkdir()
    (folder / "webagents.md").write_text("# Shop\n\n## a\nx\n\n### Params\n- ![x](y)\n")
    done = run(tmp_path, commands="check", site=folder.name)

    assert "\n::add-mask::" in done.log
    assert {name for name, *_ in done.commands} == {"error", "notice"}
    assert "[x](" not in done.summary
    assert "![x](" not in done.summary


@pytest.mark.conformance
def test_elsewhere_the_log_has_only_the_report(tmp_path: Path) -> None:
    """On another host the annotations and the summary are files beside the report."""
    (tmp_path / "webagents.md").write_text("# Shop\n\n## a\nx\n\n### Params\n- some words\n")
    done = run(tmp_path, on_github=False, commands="check")

    assert done.code == 1
    assert done.commands == []
    assert done.summary == ""
    assert (done.reports / "check.annotations").read_text().startswith("::")
    assert (done.reports / "check.md").read_text().startswith("### ✗ webagent\\-dev check")


@pytest.mark.conformance
def test_nothing_called_is_not_well(tmp_path: Path) -> None:
    """The exit code is that of `test`, and an annotation gives the reason."""
    page = "<!doctype html><title>Shop</title><script>globalThis.pay = async () => 1;</script>"
    (tmp_path / "index.html").write_text(page)
    (tmp_path / "webagents.md").write_text("# Shop\n\n## pay\nPays.\n\n### Params\n")
    done = run(tmp_path, commands=" test ")
    (one,) = done.annotations

    assert done.code == 5
    assert (one.title, one.file) == ("webagent-dev test .", "")
    assert "Nothing was called, so nothing is proven." in one.text


@pytest.mark.parametrize(
    ("variables", "code", "said"),
    [
        ({"commands": "check tset"}, 2, "`tset` is not one of the commands"),
        ({"commands": "check", "site": "--fix"}, 2, "`--fix` cannot be read"),
        ({"commands": "test", "test_options": "*"}, 2, "unexpected extra argument"),
        ({"commands": "check", "rules_url": "x"}, 2, "`x` is not an address"),
    ],
)
def test_wrong_variables_are_refused(
    tmp_path: Path, variables: dict[str, str], code: int, said: str
) -> None:
    """A site is never an option, and an option never a pattern of files."""
    done = run(tmp_path, **variables)

    assert done.code == code
    assert said in done.log


@pytest.fixture(scope="module")
def _one_authority() -> None:
    """Packages are installed here, so that all authorities are needed."""


@pytest.mark.conformance
@pytest.mark.timeout(600)
def test_the_script_installs_what_it_needs(tmp_path: Path, wheels: list[Path]) -> None:
    """Where no `webagent-dev` is, into an environment of its own; nothing else of the machine changes."""
    (tmp_path / "site").mkdir()
    manifest = shop_in(tmp_path / "site", FAULTS[0])
    done = run(
        tmp_path / "site",
        environment={
            "PATH": os.defpath,
            "PYTHON": sys.executable,
            "PIP_FIND_LINKS": str(wheels[0].parent),
            "PIP_CONSTRAINT": str(constraints_file()),
            "RUNNER_TEMP": str(tmp_path),
        },
        site=SITE,
        test_options="--only listCategories",
    )
    (found,) = done.annotations

    assert found.line == line_of(FAULTS[0], manifest), done.log
    assert "listCategories" in (done.reports / "test.html").read_text("utf-8")
    (environment,) = tmp_path.glob("webagent-*")
    assert (environment / "bin" / "webagent-dev").is_file()
