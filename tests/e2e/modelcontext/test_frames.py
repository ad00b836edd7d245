"""Tools over the frames of a tab: who sees them, who may call them, and what happens when frames go."""

from __future__ import annotations

import pytest

from tests.e2e.modelcontext.conftest import Run, table

pytestmark = pytest.mark.conformance

HANG = "{name: 'hang', description: 'd', execute: () => new Promise(() => {})}"


async def test_same_origin(run: Run) -> None:
    """Documents of one origin see and call each other's tools, and get an event for changes."""
    code = """
        const told = next(mc, 'toolchange');
        const child = await frame('/');
        await within(child, "await mc.registerTool(tool({name: 'child', execute: () => 'of the child'}))");
        await told;
        await mc.registerTool(tool({name: 'parent', execute: () => 'of the parent'}));
        const {child: theirs} = await toolsBy();
        return [theirs.window === child.contentWindow, await mc.executeTool(theirs),
            await within(child, "return Object.keys(await toolsBy()).join(' ')"),
            await within(child, "return mc.executeTool((await toolsBy()).parent)")];"""
    assert await run(code) == [True, "of the child", "child parent", "of the parent"]


async def test_same_names_in_two_frames(run: Run) -> None:
    """Each document has names of its own; the window says which tool is meant."""
    code = """
        const child = await frame('/');
        await within(child, "await mc.registerTool(tool({execute: () => 'child'}))");
        await mc.registerTool(tool({execute: () => 'top'}));
        return Promise.all((await mc.getTools()).map((tool) => mc.executeTool(tool)));"""
    assert await run(code) == ["top", "child"]


@pytest.mark.parametrize("attributes", ["{}", "{srcdoc: '<p>text'}", "{src: 'about:blank'}"])
async def test_frames_without_a_document_of_their_own(run: Run, attributes: str) -> None:
    """Frames with `about:blank` or `srcdoc` have tools, of the origin of their parent."""
    code = f"""
        const child = await frame('', {attributes});
        await child.contentDocument.modelContext.registerTool(tool({{execute: () => 'inside'}}));
        const {{t}} = await toolsBy();
        return [t.origin === HERE, t.window === child.contentWindow, await mc.executeTool(t)];"""
    assert await run(code) == [True, True, "inside"]


async def test_tools_do_not_outlive_their_document(run: Run) -> None:
    """A frame that navigates or goes takes its tools with it."""
    code = """
        const child = await frame('/');
        await within(child, "await mc.registerTool(tool())");
        const before = (await mc.getTools()).length;
        const loaded = next(child, 'load');
        child.src = '/?again=1';
        await loaded;
        const navigated = (await mc.getTools()).length;
        await within(child, "await mc.registerTool(tool())");
        child.remove();
        return [before, navigated, (await mc.getTools()).length];"""
    assert await run(code) == [1, 0, 0]


async def test_cross_origin_needs_three_yeses(run: Run) -> None:
    """A foreign tool is listed when its owner shows it, the caller names the origin, and the frame may have tools."""
    code = """
        const child = await frame(OTHER, {allow: 'tools'});
        await within(child, `await mc.registerTool(tool({name: 'shown'}), {exposedTo: ['${HERE}', 'https://a.example']})`);
        await within(child, `await mc.registerTool(tool({name: 'hidden'}))`);
        await within(child, `await mc.registerTool(tool({name: 'for_others'}), {exposedTo: ['https://a.example']})`);
        const names = async (options) => (await mc.getTools(options)).map(({name}) => name).join(' ');
        return [await names(), await names({fromOrigins: ['https://a.example']}), await names({fromOrigins: [OTHER]})];"""
    assert await run(code) == ["", "", "shown"]


async def test_cross_origin_calls(run: Run) -> None:
    """Calls cross origins in both directions, with input, result, and the tool's whole definition."""
    code = """
        const child = await frame(OTHER, {allow: 'tools'});
        const told = next(mc, 'toolchange');
        await within(child, `await mc.registerTool(tool({title: 'T', inputSchema: {type: 'object'},
            annotations: {readOnlyHint: true}, execute: (input) => input.a + 1}), {exposedTo: ['${HERE}']})`);
        await told;
        await mc.registerTool(tool({name: 'parent', execute: () => 'of the parent'}), {exposedTo: [OTHER]});
        const [{title, inputSchema, annotations: {readOnlyHint}, origin, window}, ...more] =
            (await mc.getTools({fromOrigins: [OTHER]})).filter(({name}) => name === 't');
        return [title, inputSchema, readOnlyHint, origin === OTHER, window === child.contentWindow, more.length,
            await mc.executeTool({name: 't', description: '', origin, window}, {a: 1}),
            await within(child, `return mc.executeTool((await toolsBy({fromOrigins: ['${HERE}']})).parent)`)];"""
    assert await run(code) == ["T", {"type": "object"}, True, True, True, 0, "2", "of the parent"]


async def test_siblings(run: Run) -> None:
    """Two foreign frames use each other's tools without the parent seeing them."""
    code = """
        const [a, b] = await Promise.all([OTHER, ELSEWHERE].map((origin) => frame(origin, {allow: 'tools'})));
        const told = within(a, "await next(mc, 'toolchange'); return 'told'");
        await within(b, `await mc.registerTool(tool({execute: () => 'of b'}), {exposedTo: ['${OTHER}']})`);
        return [await told, (await mc.getTools({fromOrigins: [ELSEWHERE]})).length,
            await within(a, `return mc.executeTool((await toolsBy({fromOrigins: ['${ELSEWHERE}']})).t)`)];"""
    assert await run(code) == ["told", 0, "of b"]


async def test_later_sibling(run: Run) -> None:
    """A frame that comes later finds the tools that were shown to its origin before."""
    code = """
        const b = await frame(ELSEWHERE, {allow: 'tools'});
        await within(b, `await mc.registerTool(tool({execute: () => 'of b'}), {exposedTo: ['${OTHER}']})`);
        const a = await frame(OTHER, {allow: 'tools'});
        return within(a, `return mc.executeTool((await toolsBy({fromOrigins: ['${ELSEWHERE}']})).t)`);"""
    assert await run(code) == "of b"


async def test_same_origin_below_a_foreign_frame(run: Run) -> None:
    """A document of the own origin inside a foreign frame belongs to the same origin's tools."""
    code = """
        const child = await frame(OTHER, {allow: 'tools'});
        await within(child, `await frame('${HERE}', {allow: 'tools'})`);
        await within(child.contentWindow[0], "await mc.registerTool(tool({execute: () => 'deep'}))");
        return mc.executeTool((await toolsBy()).t);"""
    assert await run(code) == "deep"


async def test_exposure_is_asked_at_each_call(run: Run) -> None:
    """A tool that was listed cannot be called once it is no longer exposed."""
    code = """
        const child = await frame(OTHER, {allow: 'tools'});
        await within(child, `globalThis.controller = new AbortController();
            await mc.registerTool(tool(), {exposedTo: ['${HERE}'], signal: controller.signal})`);
        const {t} = await toolsBy({fromOrigins: [OTHER]});
        await within(child, "controller.abort(); await mc.registerTool(tool())");
        return outcome(mc.executeTool(t));"""
    assert await run(code) == "UnknownError"


ALLOWED = {
    "OTHER, {allow: 'tools'}": 0,
    "OTHER, {allow: 'camera; tools *'}": 0,
    "OTHER, {allow: 'tools ' + OTHER}": 0,
    "HERE, {}": 0,
    "OTHER, {}": "NotAllowedError",
    "OTHER, {allow: 'camera'}": "NotAllowedError",
    "OTHER, {allow: 'tools ' + ELSEWHERE}": "NotAllowedError",
    "OTHER, {allow: \"tools 'self'\"}": "NotAllowedError",
    "OTHER, {allow: \"tools 'none'\"}": "NotAllowedError",
    "HERE, {allow: \"tools 'none'\"}": "NotAllowedError",
    "HERE, {sandbox: 'allow-scripts'}": "NotAllowedError",
    "HERE, {sandbox: 'allow-scripts', allow: 'tools'}": 0,
    "HERE, {sandbox: 'allow-scripts', allow: 'tools *'}": 0,
}


async def test_permissions_policy(run: Run) -> None:
    """`allow` says which frames may have tools; without it, those of the own origin."""
    code = """
        const listed = async (...arguments) => {
            const child = await frame(...arguments);
            const answer = await within(child, "return (await mc.getTools()).length");
            child.remove();
            return answer;
        };"""
    assert await run(code + table("listed({})", ALLOWED)) == ALLOWED


async def test_every_method_is_forbidden(run: Run) -> None:
    """A frame that may not have tools is refused by every method, and gets no events."""
    code = """
        const child = await frame(OTHER);
        await within(child, "globalThis.told = 0; mc.ontoolchange = () => (told += 1)");
        await mc.registerTool(tool(), {exposedTo: [OTHER]});
        return [await within(child, "return mc.registerTool(tool())"), await within(child, "return mc.getTools()"),
            await within(child, `return mc.executeTool({name: 't', description: '', window: parent, origin: '${HERE}'})`),
            await within(child, "return told")];"""
    assert await run(code) == ["NotAllowedError", "NotAllowedError", "NotAllowedError", 0]


async def test_a_frame_loses_its_permission_by_navigating(run: Run) -> None:
    """A permission that `allow` gives to one origin does not pass to the next one in the frame."""
    code = """
        const child = await frame(OTHER, {allow: 'tools ' + OTHER});
        const before = await within(child, "return (await mc.getTools()).length");
        const loaded = next(child, 'load');
        child.src = ELSEWHERE;
        await loaded;
        return [before, await within(child, "return (await mc.getTools()).length")];"""
    assert await run(code) == [0, "NotAllowedError"]


async def test_opaque_origin(run: Run) -> None:
    """A sandboxed document has tools of its own, but can execute none."""
    code = """
        const child = await frame(HERE, {sandbox: 'allow-scripts', allow: 'tools'});
        return within(child, `await mc.registerTool(tool());
            const [t, ...more] = await mc.getTools();
            return [t.origin, more.length, await outcome(mc.executeTool(t))]`);"""
    assert await run(code) == ["null", 0, "NotSupportedError"]


@pytest.mark.chromium("Firefox lets every page set `document.domain`, asked or not")
async def test_document_domain(run: Run) -> None:
    """Where `document.domain` can be set, there are no tools."""
    code = """
        const child = await frame(ELSEWHERE + '/?Origin-Agent-Cluster=?0', {allow: 'tools *'});
        return within(child, `return [originAgentCluster, await outcome(mc.getTools()), await outcome(mc.registerTool(tool()))]`);"""
    assert await run(code) == [False, "SecurityError", "SecurityError"]


@pytest.mark.firefox("there every page may set `document.domain`")
async def test_document_domain_that_was_set(run: Run) -> None:
    """A document has tools until it opens itself to other origins."""
    code = """
        const child = await frame(ELSEWHERE.replace('localhost', 'a.b.localhost'), {allow: 'tools *'});
        const count = "return (await mc.getTools()).length";
        const before = await within(child, `await mc.registerTool(tool()); ${count}`);
        await within(child, "document.domain = 'b.localhost'");
        return [before, await within(child, count)];"""
    assert await run(code) == [1, "SecurityError"]


DETACHED = {
    "registerTool(tool())": "InvalidStateError",
    "registerTool({})": "TypeError",
    "getTools()": "InvalidStateError",
    "executeTool(t)": "InvalidStateError",
}


@pytest.mark.chromium(
    "Firefox runs nothing more of a document that is gone, so its promises wait for ever"
)
async def test_detached_document(run: Run) -> None:
    """A document that no window shows any more still has its `modelContext`, which refuses everything."""
    code = """
        const child = await frame('/'), {contentDocument} = child, inner = contentDocument.modelContext;
        await mc.registerTool(tool());
        const {t} = await toolsBy();
        child.remove();"""
    assert await run(code + table("outcome(inner.{})", DETACHED)) == DETACHED
    assert await run(
        "const f = await frame('/'), d = f.contentDocument; f.remove(); return d.modelContext === d.modelContext && d.modelContext !== mc;"
    )


@pytest.mark.parametrize("origin", ["HERE", "OTHER"])
@pytest.mark.parametrize(
    "going", ["child.remove()", "child.src = 'about:blank'", "child.src = ELSEWHERE"]
)
async def test_target_goes_during_the_call(run: Run, origin: str, going: str) -> None:
    """A call fails when the frame that runs it goes or navigates."""
    code = f"""
        const child = await frame({origin}, {{allow: 'tools *'}});
        await within(child, `await mc.registerTool({HANG}, {{exposedTo: ['${{HERE}}']}});
            globalThis.started = next(mc, 'toolactivated')`);
        const {{hang}} = await toolsBy({{fromOrigins: [OTHER]}});
        const running = outcome(mc.executeTool(hang));
        await within(child, 'await started');
        {going};
        return running;"""
    assert await run(code) == "UnknownError"


@pytest.mark.parametrize("origin", ["HERE", "OTHER"])
async def test_target_goes_at_once(run: Run, origin: str) -> None:
    """A call fails when its frame goes before it could start, and is refused when the frame is gone."""
    code = f"""
        const child = await frame({origin}, {{allow: 'tools *'}});
        await within(child, `await mc.registerTool({HANG}, {{exposedTo: ['${{HERE}}']}})`);
        const {{hang}} = await toolsBy({{fromOrigins: [OTHER]}});
        const running = outcome(mc.executeTool(hang));
        child.remove();
        return [await running, await outcome(mc.executeTool(hang))];"""
    assert await run(code) == ["UnknownError", "InvalidStateError"]


@pytest.mark.parametrize("origin", ["HERE", "OTHER"])
@pytest.mark.parametrize("going", ["child.remove()", "child.src = 'about:blank'"])
async def test_caller_goes_during_the_call(run: Run, origin: str, going: str) -> None:
    """The tool's signal aborts and `toolcancel` fires when the frame that called goes or navigates."""
    code = f"""
        const told = [];
        await mc.registerTool(tool({{execute: (_, {{signal}}) => new Promise(() => {{
            signal.onabort = () => told.push(signal.reason.name);
        }})}}), {{exposedTo: [OTHER]}});
        const started = next(mc, 'toolactivated'), cancelled = next(mc, 'toolcancel');
        const child = await frame({origin}, {{allow: 'tools'}});
        within(child, `await mc.executeTool((await toolsBy({{fromOrigins: ['${{HERE}}']}})).t)`);
        await started;
        {going};
        told.push((await cancelled).toolName);
        return told;"""
    assert await run(code) == ["AbortError", "t"]


async def test_cancelling_across_origins(run: Run) -> None:
    """The caller's reason stays with the caller; the tool's signal aborts with a reason of its own."""
    code = """
        const child = await frame(OTHER, {allow: 'tools'});
        await within(child, `globalThis.aborted = new Promise((tell) => mc.registerTool(
            tool({execute: (_, {signal}) => new Promise(() => { signal.onabort = () => tell(signal.reason.name); })}),
            {exposedTo: ['${HERE}']}));
            globalThis.started = next(mc, 'toolactivated')`);
        const {t} = await toolsBy({fromOrigins: [OTHER]});
        const controller = new AbortController();
        const running = outcome(mc.executeTool(t, {}, controller));
        await within(child, 'await started');
        controller.abort('mine');
        return [await running, await within(child, 'return aborted')];"""
    assert await run(code) == ["mine", "AbortError"]


async def test_other_tabs(run: Run) -> None:
    """Tools are neither listed nor called over the border of a tab."""
    code = """
        const opened = open('/');
        await next(opened, 'load');
        await opened.document.modelContext.registerTool(tool());
        const [theirs] = await opened.document.modelContext.getTools();
        const answer = [(await mc.getTools()).length, await outcome(mc.executeTool(theirs))];
        opened.close();
        return answer;"""
    assert await run(code) == [0, "UnknownError"]
