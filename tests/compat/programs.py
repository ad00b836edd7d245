"""Programs as the SDK documents them; they run unchanged under both packages.

`python -m tests.compat.programs` runs them under the package that `import webagent` finds and
prints, as JSON, why each failed.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx

from tests.compat.case import equal, holds
from tests.compat.texts import COMPACT
from tests.compat.web import META, Web, manifest, web
from webagent import (
    AgentClient,
    Manifest,
    Param,
    Tool,
    build_manifest,
    build_tool,
    discover,
    discover_manifest_url,
    fetch_manifest,
    generate_typescript,
    meta_tag,
    parse,
    parse_file,
    to_markdown,
    validate,
    write_file,
)

SHOP = """# Tea House

Teas and pots.

## findTeas
Find teas by a word.

### Params
- `word` (string, required): What to look for.
- `limit` (number, optional, default=20): The most to return.

### Output
```typescript
{ teas: Array<{ id: string; name: string }>; total: number }
```

### Sample Code
```js
const found = await global.findTeas(word);
```

## addTea
Put a tea into the basket.

### Params
- `teaId` (string, required): Which tea.
- `grams` (number, optional, default=100): How much.

### Sample Code
```js
await global.addTea(teaId, grams);
```
"""

SITE = (
    "global.findTeas = async (word, limit = 20) => ({ teas: [{ id: '1', name: word }], total: 1 });"
)


class NodePage:
    """A page whose JavaScript runs in Node: what an agent's browser does, without a window."""

    async def evaluate(self, expression: str) -> Any:
        """Return the value of an expression, promises awaited."""
        code = f"const value = {json.dumps(expression)}; {SITE}"
        code += "Promise.resolve((0, eval)(value)).then((v) => console.log(JSON.stringify(v)));"
        process = await asyncio.create_subprocess_exec(
            "node", "-e", code, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        printed, errors = await process.communicate()
        if process.returncode:
            raise RuntimeError(errors.decode())
        return None if printed.strip() == b"undefined" else json.loads(printed)


def serve(sites: Web) -> str:
    """Serve the shop and return its address."""
    return sites.site({"/": META.format("/webagents.md"), "/webagents.md": manifest(SHOP)})


def detect_and_declare(sites: Web) -> None:
    """An agent detects a manifest and gets declarations and context."""
    url = serve(sites)

    async def main() -> None:
        async with AgentClient() as agent:
            found = await agent.detect(f"{url}/")
            holds(found is not None and found is agent.manifest)
            holds("declare const global" in agent.typescript(), agent.typescript())
            context = agent.context_for_llm()
            holds("findTeas(word: string, limit?: number): Promise<" in context, context)
            equal(await agent.detect_url(f"{url}/"), f"{url}/webagents.md")

    asyncio.run(main())


def run_a_loop(sites: Web) -> None:
    """An agent lists tools, gets prompt and tool definition, and runs code in a page."""
    url = serve(sites)

    async def main() -> None:
        async with AgentClient(timeout=10.0) as agent:
            await agent.load(f"{url}/webagents.md")
            equal(agent.list_tools(), ["findTeas", "addTea"])
            equal(agent.get_tool("addTea").params[1].default, "100")
            prompt = agent.system_prompt(task="Find a green tea")
            holds("Tea House" in prompt and "Find a green tea" in prompt, prompt)
            definition = agent.execute_tool()
            equal(definition["type"], "function")
            equal(definition["function"]["name"], "execute_js")
            equal(definition["function"]["parameters"]["required"], ["code"])
            page: Any = NodePage()
            result = await agent.execute(page, 'return await global.findTeas("green")')
            equal(json.loads(result), {"teas": [{"id": "1", "name": "green"}], "total": 1})
            equal(await agent.execute(page, "return 'text'"), "text")
            equal(list(json.loads(await agent.execute(page, "throw new Error('no')"))), ["error"])

    asyncio.run(main())


def build_and_write(sites: Web) -> None:
    """A site builds, checks, writes and announces its manifest."""
    find = build_tool(
        name="findTeas",
        description="Find teas by a word.",
        params=[("word", "string", "What to look for.")],
        sample_code="const found = await global.findTeas(word);",
    )
    shot = build_tool(
        name="getPageState",
        description="Return what the page shows.",
        params=[],
        sample_code="const state = await global.getPageState(mode);",
    )
    shot.params = [
        Param(name="mode", type="string", description="How much.", required=False, default="full"),
    ]
    built = build_manifest("Tea House", tools=[find, shot])
    warnings = validate(built)
    equal(warnings, [])
    text = to_markdown(built)
    equal([tool.params for tool in parse(text).tools], [find.params, shot.params])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "webagents.md"
        write_file(built, str(path))
        equal(parse_file(path).tool_names, ["findTeas", "getPageState"])
    equal(meta_tag(), '<meta name="webagents-md" content="/webagents.md">')
    equal(validate(Manifest()), ["Manifest has no name.", "Manifest has no tools."])


def read_both_formats(sites: Web) -> None:
    """Both formats give tools; a tool without output promises any."""
    heading, compact = parse(SHOP), parse(COMPACT)
    equal((heading.name, heading.description), ("Tea House", "Teas and pots."))
    equal(compact.tool_names, ["findGoods", "addToBasket"])
    tool = heading.get_tool("findTeas")
    holds(tool is not None and tool.returns.startswith("{ teas: "), tool)
    equal(heading.get_tool("none"), None)
    holds("addTea(teaId: string, grams?: number): Promise<any>;" in generate_typescript(heading))
    equal(heading.content, SHOP.strip())


def discover_by_function(sites: Web) -> None:
    """The functions of discovery work alone and with a client of the caller's."""
    url = serve(sites)

    async def main() -> None:
        equal(await discover_manifest_url(f"{url}/"), f"{url}/webagents.md")
        async with httpx.AsyncClient() as client:
            found = await discover(f"{url}/", client=client)
            holds(found is not None and found.name == "Tea House", found)
            equal((await fetch_manifest(f"{url}/webagents.md", client=client)).name, "Tea House")

    asyncio.run(main())


def ask_before_loading(sites: Web) -> None:
    """Asking for tools before a manifest is loaded is a RuntimeError, a wrong name a KeyError."""

    async def main() -> None:
        async with AgentClient() as agent:
            for ask in (agent.list_tools, agent.typescript, agent.context_for_llm):
                try:
                    ask()
                except RuntimeError:
                    continue
                raise AssertionError(f"{ask} answered")
            agent.load_manifest(Manifest(name="S", tools=[Tool(name="t", description="d")]))
            try:
                agent.get_tool("u")
            except KeyError as error:
                holds("u" in str(error) and "t" in str(error), error)

    asyncio.run(main())


def import_from_modules(sites: Web) -> None:
    """Every module has its names, and they are those of the package."""
    import webagent
    from webagent import client, codegen, discovery, parser, serializer, site, types

    for module, names in (
        (types, "Param Tool Manifest"),
        (parser, "parse parse_file"),
        (codegen, "generate_typescript"),
        (serializer, "to_markdown write_file"),
        (discovery, "discover discover_manifest_url fetch_manifest"),
        (site, "build_manifest build_tool meta_tag validate"),
        (client, "AgentClient"),
    ):
        for name in names.split():
            holds(getattr(module, name) is getattr(webagent, name), name)
    equal(site.validate_markdown("# S\n"), ["Manifest has no tools."])
    equal(
        Param(name="q").model_dump(),
        {"name": "q", "type": "string", "description": "", "required": True, "default": None},
    )
    equal(Manifest().version, "0.1")


PROGRAMS: tuple[Callable[[Web], None], ...] = (
    detect_and_declare,
    run_a_loop,
    build_and_write,
    read_both_formats,
    discover_by_function,
    ask_before_loading,
    import_from_modules,
)


def run_programs() -> dict[str, str]:
    """Run every program and return why it failed, empty if it did not, by name."""
    problems = {}
    with web() as sites:
        for program in PROGRAMS:
            try:
                program(sites)
            except Exception:
                problems[program.__name__] = traceback.format_exc(limit=-3)
            else:
                problems[program.__name__] = ""
    return problems


if __name__ == "__main__":
    json.dump(run_programs(), sys.stdout)
