"""Frames that break the rules achieve nothing with our implementation."""

from __future__ import annotations

from playwright.async_api import Page

from tests.e2e.modelcontext.conftest import Run

MARK = "'webagent:modelContext': 1"
"""The mark of our implementation's messages; anybody can read it in the script."""


async def test_forged_call_without_exposure(run_ours: Run) -> None:
    """A frame that sends the message of a call runs no tool that is not shown to its origin."""
    code = f"""
        let runs = 0;
        await mc.registerTool(tool({{execute: () => (runs += 1)}}), {{exposedTo: [ELSEWHERE]}});
        const child = await frame(OTHER, {{allow: 'tools'}});
        const reply = await within(child, `const {{port1, port2}} = new MessageChannel();
            const replied = next(port1, 'message');
            port1.start();
            parent.postMessage({{{MARK}, type: 'execute', name: 't', input: '{{}}', foreign: null, origin: '${{HERE}}'}},
                '${{HERE}}', [port2]);
            return (await replied).data`);
        return [runs, Object.keys(reply)];"""
    assert await run_ours(code) == [0, ["message"]]


async def test_forged_call_without_permission(run_ours: Run) -> None:
    """A frame that may not have tools runs none, though a tool is shown to its origin, and gets no answer."""
    code = f"""
        let runs = 0;
        await mc.registerTool(tool({{execute: () => (runs += 1)}}), {{exposedTo: [OTHER]}});
        const child = await frame(OTHER);
        await within(child, `globalThis.replies = 0;
            for (const type of ['execute', 'list', 'changed']) {{
                const {{port1, port2}} = new MessageChannel();
                port1.onmessage = () => (replies += 1);
                parent.postMessage({{{MARK}, type, name: 't', input: '{{}}'}}, '*', [port2]);
            }}`);
        const allowed = await frame(OTHER, {{allow: 'tools'}});
        await within(allowed, `await mc.executeTool((await toolsBy({{fromOrigins: ['${{HERE}}']}})).t)`);
        return [runs, await within(child, 'return replies')];"""
    assert await run_ours(code) == [1, 0]


async def test_forged_list_shows_only_what_is_exposed(run_ours: Run) -> None:
    """A frame that asks for the tools by hand gets those that are shown to its origin, and no functions."""
    code = f"""
        await mc.registerTool(tool({{name: 'shown'}}), {{exposedTo: [OTHER]}});
        await mc.registerTool(tool({{name: 'hidden'}}));
        const child = await frame(OTHER, {{allow: 'tools'}});
        const tools = await within(child, `const {{port1, port2}} = new MessageChannel();
            const replied = next(port1, 'message');
            port1.start();
            parent.postMessage({{{MARK}, type: 'list'}}, '*', [port2]);
            return (await replied).data`);
        return tools.map((listed) => [listed.name, Object.keys(listed).includes('execute')]);"""
    assert await run_ours(code) == [["shown", False]]


async def test_malformed_messages(run_ours: Run) -> None:
    """Messages that are not ours, or only half of one, get no answer and disturb nothing."""
    code = f"""
        await mc.registerTool(tool(), {{exposedTo: [OTHER]}});
        const child = await frame(OTHER, {{allow: 'tools'}});
        await within(child, `for (const message of [{{}}, {{type: 5}}, {{type: 'execute'}}, {{type: 'execute', name: {{}}, input: 5}},
                {{type: 'constructor'}}, {{type: 'hello'}}, {{type: 'list'}}, {{type: 'execute', name: 't', input: 'no JSON'}}])
            parent.postMessage({{{MARK}, ...message}}, '*');
            const {{port1, port2}} = new MessageChannel();
            const replied = next(port1, 'message');
            port1.start();
            parent.postMessage({{{MARK}, type: 'execute', name: 't', input: 'no JSON'}}, '*', [port2]);
            await replied`);
        return outcome(mc.executeTool((await toolsBy()).t));"""
    assert await run_ours(code) == "done"


async def test_forged_answer_to_a_list(run_ours: Run) -> None:
    """A frame that answers with rubbish gives no tools, and can speak for no other origin or window."""
    code = """
        const child = await frame(OTHER, {allow: 'tools'});
        await within(child, `const {postMessage} = MessagePort.prototype;
            const forged = {name: 'forged', title: '', description: 'd', origin: '${HERE}', window: 5, annotations: {}};
            MessagePort.prototype.postMessage = function (data) {
                const rubbish = [5, null, 'text', {...forged, inputSchema: 'no JSON'}, {...forged, inputSchema: 5}, forged];
                postMessage.call(this, Array.isArray(data) ? rubbish : data);
            };`);
        const tools = await mc.getTools({fromOrigins: [OTHER, ELSEWHERE]});
        return tools.filter(({name}) => name === 'forged').map(({origin, window, annotations}) =>
            [origin === OTHER, window === child.contentWindow, annotations.readOnlyHint]);"""
    assert await run_ours(code) == [[True, True, False]]


async def test_forged_answer_to_a_call(run_ours: Run) -> None:
    """A frame that answers a call with anything but a string makes no other value of it."""
    code = """
        const child = await frame(OTHER, {allow: 'tools'});
        await within(child, `await mc.registerTool(tool(), {exposedTo: ['${HERE}']});
            const {postMessage} = MessagePort.prototype;
            MessagePort.prototype.postMessage = function (data) {
                if ('value' in Object(data)) for (const value of [{}, 5, undefined, [1]]) postMessage.call(this, {value});
                postMessage.call(this, data);
            };`);
        return mc.executeTool((await toolsBy({fromOrigins: [OTHER]})).t);"""
    assert await run_ours(code) == "done"


async def test_window_of_another_origin_than_named(run_ours: Run) -> None:
    """A question for the tools of one origin is not delivered to a document of another."""
    code = """
        const child = await frame(ELSEWHERE, {allow: 'tools'});
        await within(child, `await mc.registerTool(tool(), {exposedTo: ['${HERE}']})`);
        const tools = await mc.getTools({fromOrigins: [OTHER]});
        const claimed = {name: 't', description: '', window: child.contentWindow, origin: OTHER};
        return [tools.length, await outcome(mc.executeTool(claimed))];"""
    assert await run_ours(code) == [0, "UnknownError"]


async def test_replayed_port(run_ours: Run) -> None:
    """The port of one call serves that call alone: a message on it cancels, and it runs nothing again."""
    code = f"""
        let runs = 0;
        await mc.registerTool(tool({{execute: () => (runs += 1)}}), {{exposedTo: [OTHER]}});
        const child = await frame(OTHER, {{allow: 'tools'}});
        await within(child, `const {{port1, port2}} = new MessageChannel();
            const replies = [];
            const ended = new Promise((end) => {{ port1.onmessage = ({{data}}) => (replies.push(data), 'value' in data && end()); }});
            const call = {{{MARK}, type: 'execute', name: 't', input: '{{}}'}};
            parent.postMessage(call, '*', [port2]);
            await ended;
            port1.postMessage(call);
            port1.postMessage({{started: true}});`);
        await task();
        const before = runs;
        await mc.executeTool((await toolsBy()).t);
        return [before, runs];"""
    assert await run_ours(code) == [1, 2]


async def test_messages_are_hidden_from_the_page(run_ours: Run) -> None:
    """A page's own `message` listeners never see those of the implementation."""
    code = """
        const seen = [];
        addEventListener('message', ({data}) => data?.run || seen.push(data));
        const child = await frame(OTHER, {allow: 'tools'});
        await within(child, `await mc.registerTool(tool(), {exposedTo: ['${HERE}']})`);
        await mc.executeTool((await toolsBy({fromOrigins: [OTHER]})).t);
        return seen;"""
    assert await run_ours(code) == []


async def test_messages_from_another_tab(run_ours: Run) -> None:
    """A window outside the tab, though of an origin that a tool is shown to, is not answered."""
    code = f"""
        let runs = 0;
        await mc.registerTool(tool({{execute: () => (runs += 1)}}), {{exposedTo: [OTHER]}});
        const opened = open(OTHER);
        await next(window, 'message');
        await within(opened, `const {{port2}} = new MessageChannel();
            opener.postMessage({{{MARK}, type: 'execute', name: 't', input: '{{}}'}}, '*', [port2]);`);
        const child = await frame(OTHER, {{allow: 'tools'}});
        await within(child, `await mc.executeTool((await toolsBy({{fromOrigins: ['${{HERE}}']}})).t)`);
        opened.close();
        return runs;"""
    assert await run_ours(code) == 1


async def test_opaque_origins_are_not_one(run_ours: Run) -> None:
    """A sandboxed document sees and runs no tool of another one, though both call their origin `null`."""
    code = f"""
        const sandboxed = () => frame(HERE, {{sandbox: 'allow-scripts', allow: 'tools'}});
        const [owner, other] = [await sandboxed(), await sandboxed()];
        await within(owner, `globalThis.runs = 0; await mc.registerTool(tool({{execute: () => (runs += 1)}}))`);
        const replies = await within(other, `const reply = async (type) => {{
                const {{port1, port2}} = new MessageChannel();
                const replied = next(port1, 'message');
                port1.start();
                parent[0].postMessage({{{MARK}, type, name: 't', input: '{{}}'}}, '*', [port2]);
                return (await replied).data;
            }};
            return [await reply('list'), Object.keys(await reply('execute'))]`);
        return [...replies, await within(owner, 'return runs')];"""
    assert await run_ours(code) == [[], ["message"], 0]


async def test_frame_that_falls_silent(run_ours: Run) -> None:
    """A frame that no longer answers is waited for once as one that does, then shortly, then not until it speaks."""
    code = f"""
        const child = await frame(OTHER, {{allow: 'tools'}});
        await within(child, `const {{postMessage}} = MessagePort.prototype;
            MessagePort.prototype.postMessage = function (data) {{
                if (!Array.isArray(data)) postMessage.call(this, data);
            }};`);
        const limits = [], later = setTimeout;
        globalThis.setTimeout = (run, limit, ...rest) => (limits.push(limit), later(run, 0, ...rest));
        for (let i = 0; i < 3; i += 1) await mc.getTools({{fromOrigins: [OTHER]}});
        await within(child, `parent.postMessage({{{MARK}, type: 'hello'}}, '*')`);
        for (let i = 0; i < 2; i += 1) await mc.getTools({{fromOrigins: [OTHER]}});
        globalThis.setTimeout = later;
        return limits;"""
    assert await run_ours(code) == [5000, 500, 500]


async def test_foreign_tools_that_could_not_be_registered(run_ours: Run) -> None:
    """A frame cannot list tools with names or descriptions that none may have, nor more than 500."""
    code = """
        const child = await frame(OTHER, {allow: 'tools'});
        await within(child, `const {postMessage} = MessagePort.prototype;
            const names = ['', 'a b', 'é', 'x'.repeat(129), {}, {toString: 5, valueOf: 5}, 'a.b-c_1'];
            const many = Array.from({length: 600}, (_, i) => 'n' + i);
            const forged = [...names, ...many].map((name) => ({name, title: '', description: 'd'}));
            const mute = {name: 'mute', title: '', description: ''};
            const textless = {name: 'textless', title: {toString: 5, valueOf: 5}, description: 'd'};
            MessagePort.prototype.postMessage = function (data) {
                postMessage.call(this, Array.isArray(data) ? [mute, textless, ...forged] : data);
            };`);
        const names = (await mc.getTools({fromOrigins: [OTHER]})).map(({name}) => name);
        return [names.length, names.filter((name) => !/^n\\d/.test(name))];"""
    assert await run_ours(code) == [492, ["a.b-c_1"]]


async def test_nothing_is_sent_to_the_wrong_origin(run_ours: Run, our_page: Page) -> None:
    """Neither changes nor questions are addressed to an origin that a window is known not to show."""
    said: list[str] = []
    our_page.on("console", lambda message: said.append(message.text))
    code = """
        const child = await frame(OTHER, {allow: 'tools *'});
        const told = within(child, "await next(mc, 'toolchange')");
        await mc.registerTool(tool(), {exposedTo: [ELSEWHERE, OTHER]});
        await told;
        const changed = next(mc, 'toolchange');
        await within(child, `await mc.registerTool(tool(), {exposedTo: ['${ELSEWHERE}', '${HERE}']});
            await mc.getTools({fromOrigins: ['${ELSEWHERE}', '${HERE}']})`);
        await changed;
        await frame('data:text/html,');
        await mc.registerTool(tool({name: 'later'}), {exposedTo: [ELSEWHERE]});
        const tools = await mc.getTools({fromOrigins: [OTHER, ELSEWHERE]});
        return tools.filter(({origin}) => origin !== HERE).map(({name}) => name);"""
    assert await run_ours(code) == ["t"]
    async with our_page.expect_console_message(lambda message: message.text == "end"):
        await our_page.evaluate("console.log('end')")
    assert [text for text in said if "postMessage" in text] == []
