"""The public names of our packages, which other people's code may import.

They are strings on purpose: a tool that moves modules rewrites imports, and these must stay.
"""

from __future__ import annotations

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
    # For the application of a site.
    "webagent_site": "Assistants BrokenManifest WebAgent",
    "webagent_site.broker.ledger": "Budget Limit",
    "webagent_site.django.account": "account",
    "webagent_site.llm.gateway": "LlmGateway",
    "webagent_site.tools.frameworks": "django_urls starlette_routes",
    "webagent_site.tools.server_tools": "ServerTools",
    # The server: its command, its application, and what tests use.
    "webagent_dev.__main__": "run",
    "webagent_dev.app": "create_app",
    "webagent_dev.testing.asserting": "ToolCallFailed assert_matches",
    "webagent_dev.testing.plugin": "agent agent_page model_script tools webagent_server",
}
"""Each public module with its public names."""
