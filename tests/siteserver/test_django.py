"""`webagent_site.django`: the checks of `manage.py check`, and the template tag, in a project of their own.

Django has one configuration for a process, so each test starts one.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.examples import EXAMPLES

pytestmark = [pytest.mark.process, pytest.mark.bundle]


@pytest.fixture(name="project")
def _project(tmp_path: Path) -> Path:
    """A copy of the example."""
    return shutil.copytree(EXAMPLES / "django", tmp_path / "project")


def _run(project: Path, *arguments: str, **variables: str) -> tuple[int, str]:
    """Run a command in a project; return its code and what it shows."""
    environment = {**os.environ, "SECRET_KEY": "x" * 50, **variables}
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=project,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def _check(project: Path, settings: str = "", **variables: str) -> tuple[int, str]:
    with (project / "settings.py").open("a", encoding="utf-8") as file:
        file.write(settings)
    return _run(project, "manage.py", "check", **variables)


@pytest.mark.conformance
def test_a_project_without_faults(project: Path) -> None:
    """Nothing is reported."""
    assert _check(project) == (0, "System check identified no issues (0 silenced).\n")


def test_a_broken_manifest(project: Path) -> None:
    """Each finding has its line, its rule, and what to write instead; no traceback is shown."""
    manifest = project / "webagents.md"
    lines = [*manifest.read_text("utf-8").splitlines(), "", "## addTask"]
    manifest.write_text("\n".join(lines), "utf-8")
    code, shown = _check(project)

    assert code == 1
    assert f"{manifest}:{len(lines)}: (webagent.E002) `addTask` is declared a second time" in shown
    assert "(duplicate-tool)\n\tHINT: remove one of the two, or rename it\n" in shown
    assert f"{manifest}:{len(lines)}: (webagent.W001) " in shown
    assert f"{manifest}:{len(lines)}: (webagent.I001) " in shown
    assert "Traceback" not in shown


def test_a_model_without_its_key(project: Path) -> None:
    """The variable is named."""
    code, shown = _check(project, MODEL="anthropic:claude-haiku-4-5", ANTHROPIC_API_KEY="")

    assert code == 1
    assert "(webagent.E003) `ANTHROPIC_API_KEY` is not set" in shown
    assert "HINT: write `export ANTHROPIC_API_KEY=…`" in shown
    assert "Traceback" not in shown


def test_tools_may_use_the_models_of_the_project(project: Path) -> None:
    """The application imports the agent once Django has loaded them."""
    tasks = project / "tasks.py"
    imported = "from django.contrib.auth.models import User\n"
    tasks.write_text(f"{imported}{tasks.read_text('utf-8')}", "utf-8")

    assert _run(project, "-c", "import asgi") == (0, "")


def test_a_gateway_without_its_key(project: Path) -> None:
    """A function makes it when the agent is checked, and not when Django imports the addresses."""
    tasks = project / "tasks.py"
    text = tasks.read_text("utf-8")
    assert 'model=os.environ.get("MODEL")' in text
    made = "LlmGateway.for_site('anthropic:claude-haiku-4-5', account=account)"
    text = text.replace('model=os.environ.get("MODEL")', f"model=lambda: {made}")
    imports = (
        "from webagent_site.django.account import account\n"
        "from webagent_site.llm.gateway import LlmGateway\n"
    )
    tasks.write_text(text.replace("from webagent_site", f"{imports}from webagent_site", 1), "utf-8")
    code, shown = _check(project, ANTHROPIC_API_KEY="")
    with_key = _check(project, ANTHROPIC_API_KEY="x")

    assert code == 1
    assert "(webagent.E003) `ANTHROPIC_API_KEY` is not set" in shown
    assert "Traceback" not in shown
    assert with_key == (0, "System check identified no issues (0 silenced).\n")


def test_several_workers(project: Path) -> None:
    """A note of the start on the model is a warning."""
    code, shown = _check(
        project, MODEL="ollama:qwen3", WEB_CONCURRENCY="3", WEBAGENT_SECRET="1" * 32
    )

    assert code == 0
    assert "(webagent.W002) each of 3 workers counts for itself" in shown


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("del WEBAGENT\n", "the setting `WEBAGENT` names no agent"),
        ("WEBAGENT = 'tasks.absent'\n", "`tasks.absent` of the setting `WEBAGENT` cannot be"),
        ("WEBAGENT = 'tasks.page'\n", "`tasks.page` of the setting `WEBAGENT` is not a `WebAgent`"),
    ],
)
def test_a_setting_that_names_no_agent(project: Path, settings: str, message: str) -> None:
    """The hint shows what to write."""
    code, shown = _check(project, settings)

    assert code == 1
    assert f"(webagent.E001) {message}" in shown
    assert (
        'HINT: write the path of your `WebAgent` into the settings, such as `WEBAGENT = "' in shown
    )


@pytest.mark.parametrize(
    "settings",
    [
        # As django-csp has it, and as Django itself.
        "CONTENT_SECURITY_POLICY = {'DIRECTIVES': {'script-src': [\"'self'\"]}}\n",
        "SECURE_CSP = {'script-src': [\"'self'\"], 'upgrade-insecure-requests': True}\n",
    ],
    ids=["django-csp", "django"],
)
def test_a_policy_that_forbids_the_agent(project: Path, settings: str) -> None:
    """The setting and the missing source are named."""
    code, shown = _check(project, settings)

    assert code == 0
    assert shown.count("webagent.W003") == 1
    assert f"the setting `{settings.partition(' ')[0]}` forbids WebAssembly" in shown
    assert "HINT: add `'wasm-unsafe-eval'` to its `script-src`" in shown


TAGS = """
import os
os.environ["DJANGO_SETTINGS_MODULE"] = "settings"
from asgi import app
from django.http import HttpRequest
from django.template import Context, RequestContext, Template
from django.urls import set_script_prefix
request = HttpRequest()
request.csp_nonce = "abc"
set_script_prefix("/office/")
tag = Template("{% load webagent %}{% webagent %}")
print(tag.render(RequestContext(request)))
print(tag.render(Context({"csp_nonce": "def"})))
print(tag.render(Context()))
request.scope = {"webagent.account": "0a1b"}
print(tag.render(RequestContext(request)))
request.scope, request.environ = None, {"webagent.account": "2c3d"}
print(tag.render(RequestContext(request)))
"""


def test_the_tag(project: Path) -> None:
    """It has the mount and the nonce of the policy, of django-csp or of Django itself."""
    code, shown = _run(project, "-c", TAGS)

    assert code == 0, shown
    third, own, without, by_asgi, by_wsgi = shown.splitlines()
    assert third.startswith('<meta name="webagents-md" content="/office/webagents.md">')
    assert '<script type="module" src="/office/webagent/' in third
    assert third.count(' nonce="abc"') == third.count("<script ") == 3
    assert own.count(' nonce="def"') == 3
    assert "nonce" not in without
    assert "data-account" not in third
    assert ' data-account="0a1b"' in by_asgi
    assert ' data-account="2c3d"' in by_wsgi


ACCOUNT = """
import os
os.environ["DJANGO_SETTINGS_MODULE"] = "settings"
import django
django.setup()
import asyncio
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from starlette.requests import Request
from webagent_site.django.account import account
visitor = Client()
visitor.force_login(User.objects.create_user("Ada"))
good = visitor.cookies[settings.SESSION_COOKIE_NAME].value

def ask(cookie):
    headers = [(b"cookie", f"{settings.SESSION_COOKIE_NAME}={cookie}".encode())] if cookie else []
    return asyncio.run(account(Request({"type": "http", "headers": headers})))

print(User.objects.get().pk, ask(good), ask(""), ask("forged"))
visitor.logout()
print(ask(good))
"""


def test_the_account_of_a_visitor(project: Path) -> None:
    """It is the user of Django's session; without one, with a forged one or after a logout there is none."""
    code, shown = _run(project, "manage.py", "migrate", "--verbosity", "0")
    assert code == 0, shown
    code, shown = _run(project, "-c", ACCOUNT)

    assert (code, shown) == (0, "1 1 None None\nNone\n")
