"""Imports that other people's code may have keep working when modules move.

The names are strings on purpose: a tool that moves modules rewrites imports, and these must stay.
"""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import webagent
import webagent_dev

ROOT = Path(__file__).parents[2]
PUBLIC = {
    "webagent": "AgentClient Behavior Finding Manifest Note Param Report Severity SyncAgentClient "
    "Tool WebagentError build_manifest build_tool check check_value discover "
    "discover_manifest_url fetch_manifest from_json_schema from_model_context "
    "generate_typescript json_schema meta_tag normalize parse parse_file shared_types "
    "to_markdown to_model_context validate validate_markdown write_file",
    # The modules of the format's own SDK.
    "webagent.types": "Manifest Param Tool Behavior Note",
    "webagent.parser": "parse parse_file",
    "webagent.serializer": "normalize to_markdown write_file",
    "webagent.codegen": "generate_typescript shared_types",
    "webagent.discovery": "discover discover_manifest_url fetch_manifest fetch_text",
    "webagent.site": "build_manifest build_tool meta_tag to_markdown validate validate_markdown "
    "write_file",
    "webagent.client": "AgentClient",
    # Parts of agents and of other programs.
    "webagent.agent": "EVENTS Action Answer Broker Budget Builder Clock ContentHandler Context Cost "
    "Decider Decision Done Driver FakeClock Finish FunctionHandler GivenFile Intent Judge "
    "Listener MemoryStore MessageBroker MessageBuilder ModelDecider Nobody "
    "PageAction PartlyDone Person Plan PlanStep Planner Policy Request Ruling Run RunResult Said "
    "Scene ScriptedPerson StepHandler StepResult StepRunner Store StoreFull SystemClock "
    "Transcript Work default_actions",
    "webagent.agent.cost": "AS_OF Price TokenCost",
    "webagent.agent.deterministic": "DeterministicPlanner",
    "webagent.agent.redact": "Redactor",
    "webagent.checks": "CHECKS Check Report check check_bytes run_checks",
    "webagent.errors": "Cancelled CodeSyntaxError Denied DiscoveryError FetchFailed InternalError "
    "InvalidArguments InvalidResult MissingFunction Navigated NoPage NotAManifest NotCloneable NotLoggedIn NotReached "
    "OriginMismatch PageGone RateLimited SandboxFailed ServerStopped ToolError ToolThrew ToolTimeout TooLarge "
    "UnknownTool UrlRefused WebagentError",
    "webagent.llm": "A2AModel Answer AnthropicModel BadRequest BridgeFetch BuiltinModel ChatModel "
    "ConnectionLost ContentFiltered ContextTooLong CredentialsRefused CutStream DownloadNeeded Fetch "
    "GeminiModel Held HttpxFetch Limits Message ModelError ModelFailed ModelUnavailable ModuleModel OllamaModel "
    "OpenAIModel Overloaded QuotaExhausted RateLimited Reply Request ResponsesModel Role "
    "ScriptedAnswer ScriptedFetch ScriptedModel TimedOut ToolCall ToolDefinition UnreadableAnswer Usage "
    "connect_model",
    "webagent.llm.known_models": "AS_OF Price",
    "webagent.modelcontext": "from_json_schema from_model_context to_model_context",
    "webagent.registry": "Binding Call Calling ExecutionResult Log ToolRegistry ToolSource",
    # `docs/understand/code-mode.md` names it.
    "webagent.page.values": "decode",
    "webagent.replay": "NotRepeatable Program Programs program_of",
    "webagent.results": "Call ExecutionResult Log",
    "webagent.schema": "Mismatch check_schema check_value input_schema json_schema output_schema "
    "result_mismatches",
    # Pages, and what the page's own script imports.
    "webagent.inpage": "InPage PageApi PageBridge",
    "webagent.page.fakes": "FakePage",
    "webagent.page.playwright": "PlaywrightPage",
    "webagent.page.port": "Page",
    "webagent.page.pyodide": "run_python",
    # The server: its command, its application, and what tests use.
    "webagent_dev.__main__": "run",
    "webagent_dev.app": "create_app",
    "webagent_dev.testing.asserting": "ToolCallFailed assert_matches",
    "webagent_dev.testing.plugin": "agent agent_page model_script tools webagent_server",
}
"""Each public module with its public names."""
PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/**/*.md"),
        ROOT / "core/README.md",
        ROOT / "siteserver/README.md",
        ROOT / "devserver/README.md",
    ]
)
FENCE = re.compile(r"^(?P<mark>`{3,})(?:python|py)\n(.*?)^(?P=mark)$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("module", PUBLIC)
def test_public_names_can_be_imported(module: str) -> None:
    """Each name is an attribute of its module, so that `from module import name` works."""
    loaded = importlib.import_module(module)

    assert [name for name in PUBLIC[module].split() if not hasattr(loaded, name)] == []


def test_every_name_of_the_package_is_listed() -> None:
    """The public names of `webagent` are those in `__all__`."""
    assert PUBLIC["webagent"].split() == sorted(webagent.__all__)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_imports_in_the_documentation_are_public(path: Path) -> None:
    """Python blocks import listed names only, also the blocks that no other test runs."""
    unlisted = [
        f"{module}: {name}"
        for block in FENCE.finditer(path.read_text("utf-8"))
        for module, name in _imports(block[2])
        if name not in PUBLIC.get(module, "").split()
    ]

    assert unlisted == []


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_dotted_names_in_the_documentation_can_be_imported(path: Path) -> None:
    """A dotted name in backticks that begins with one of our modules exists."""
    dotted = re.findall(r"`((?:webagent|webagent_dev)(?:\.\w+)+)[`(]", path.read_text("utf-8"))

    assert [name for name in dotted if _is_module(name) and not _is_there(name)] == []


def _imports(code: str) -> list[tuple[str, str]]:
    """Return `(module, name)` of each import from our packages; `import x` has an empty name."""
    found = []
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom) and node.module:
            found += [(node.module, alias.name) for alias in node.names]
        elif isinstance(node, ast.Import):
            found += [(alias.name, "") for alias in node.names]
    return [
        (module, name)
        for module, name in found
        if module.partition(".")[0] in ("webagent", "webagent_dev")
        # A module that is listed may be imported as a whole.
        and (name or module not in PUBLIC)
    ]


def _is_module(name: str) -> bool:
    """Whether the first two parts are a module: `webagent.run` is a method of the page's object."""
    package, child = name.split(".")[:2]
    paths = {"webagent": webagent.__path__, "webagent_dev": webagent_dev.__path__}[package]
    return child in {found.name for found in pkgutil.iter_modules(paths)}


def _is_there(name: str) -> bool:
    """Whether a dotted name is a module, or an attribute of one."""
    try:
        pkgutil.resolve_name(name)
    except (ImportError, AttributeError):
        return False
    return True
