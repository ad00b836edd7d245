"""`registerTool`: what it takes, what it refuses, in which order, and what it reports."""

from __future__ import annotations

from typing import Any

from tests.e2e.modelcontext.conftest import Run, table

REFUSED = {
    "undefined": "TypeError",
    "5": "TypeError",
    "{...tool(), name: undefined}": "TypeError",
    "{...tool(), name: Symbol()}": "TypeError",
    "{...tool(), description: undefined}": "TypeError",
    "{...tool(), execute: undefined}": "TypeError",
    "{...tool(), execute: {}}": "TypeError",
    "tool({inputSchema: null})": "TypeError",
    "tool({inputSchema: '{}'})": "TypeError",
    "tool({inputSchema: 1n})": "TypeError",
    "tool({inputSchema: {n: 1n}})": "TypeError",
    "tool({inputSchema: {toJSON: () => undefined}})": "TypeError",
    "tool({inputSchema: {toJSON() { throw new RangeError(); }}})": "RangeError",
    "tool({annotations: 5})": "TypeError",
    "tool({name: ''})": "InvalidStateError",
    "tool({name: 'a b'})": "InvalidStateError",
    "tool({name: 'a/b'})": "InvalidStateError",
    "tool({name: 'ü'})": "InvalidStateError",
    "tool({name: 'a'.repeat(129)})": "InvalidStateError",
    "tool({description: ''})": "InvalidStateError",
    "tool({name: 'taken'})": "InvalidStateError",
}


async def test_refuses(run: Run) -> None:
    """A value that is not a tool is refused with a rejection, never with an exception."""
    code = "await mc.registerTool(tool({name: 'taken'}));"
    assert await run(code + table("outcome(mc.registerTool({}))", REFUSED)) == REFUSED


ORDER = {
    "tool({name: ''}), {signal: 5}": "TypeError",
    "tool({name: ''}), {exposedTo: 'https://a.example'}": "TypeError",
    "tool({name: 'taken', description: ''})": "Duplicate tool name",
    "tool({name: '', description: ''})": "Invalid tool name",
    "tool({description: '', inputSchema: circular})": "Description is required",
    "tool({inputSchema: circular}), {signal: AbortSignal.abort('aborted')}": "TypeError",
    "tool(), {signal: AbortSignal.abort('aborted'), exposedTo: ['*']}": "aborted",
    "tool(), {exposedTo: ['*']}": "SecurityError",
}


async def test_order_of_checks(run: Run) -> None:
    """Of several faults, the same one is reported first."""
    code = """
        const circular = {};
        circular.circular = circular;
        const first = (error) => error.name === 'InvalidStateError' ? error.message : error.name ?? error;
        await mc.registerTool(tool({name: 'taken'}));"""
    assert await run(code + table("mc.registerTool({}).catch(first)", ORDER)) == ORDER


async def test_members_are_read_in_order(run: Run) -> None:
    """The members of tool and options are read once each, in the order of Web IDL."""
    code = """
        const read = [];
        const spy = (target) => new Proxy(target, {get: (_, key) => (read.push(key), target[key])});
        await mc.registerTool(spy(tool({annotations: {}})), spy({}));
        return read.join(' ');"""
    assert (
        await run(code) == "annotations description execute inputSchema name title exposedTo signal"
    )


ORIGINS = {
    "https://a.example/path?query": None,
    "https://user:word@a.example": None,
    "wss://a.example": None,
    "http://localhost:3000": None,
    "http://a.localhost": None,
    "http://127.9.9.9": None,
    "http://[::1]:8000": None,
    "http://a.example": "SecurityError",
    "http://127.0.0.1.example": "SecurityError",
    "ftp://a.example": "SecurityError",
    "https://a.example:port": "SecurityError",
    "about:blank": "SecurityError",
    "data:,x": "SecurityError",
    "*": "SecurityError",
    "/": "SecurityError",
    "null": "SecurityError",
    "": "SecurityError",
}


async def test_exposed_origins(run: Run) -> None:
    """A tool is shown only to origins that nobody on the way can imitate."""
    code = """
        const answers = {};
        for (const origin of given) {
            const options = {exposedTo: [origin]};
            answers[origin] = await outcome(mc.registerTool(tool({name: `t${origin.length}.${Math.random()}`}), options));
        }
        return answers;"""
    assert await run(code, list(ORIGINS)) == ORIGINS


async def test_event_comes_before_the_promise(run: Run) -> None:
    """`toolchange` is dispatched in a task of its own, before the promise resolves."""
    code = """
        const told = [];
        mc.addEventListener('toolchange', ({constructor, bubbles, cancelable, target}) =>
            told.push([constructor.name, bubbles, cancelable, target === mc]));
        const registered = mc.registerTool(tool()).then(() => told.push('registered'));
        told.push('called');
        await registered;
        return told;"""
    assert await run(code) == ["called", ["Event", False, False, True], "registered"]


async def test_one_event_for_each_change(run: Run) -> None:
    """Changes in one task are reported one by one."""
    code = """
        let told = 0;
        mc.ontoolchange = () => (told += 1);
        const controller = new AbortController();
        mc.registerTool(tool({name: 'a'}), controller).catch(() => 0);
        mc.registerTool(tool({name: 'b'}));
        controller.abort();
        await mc.registerTool(tool({name: 'c'}));
        return told;"""
    assert await run(code) == 4


async def test_signal_ends_the_registration(run: Run) -> None:
    """Aborting removes the tool at once and rejects a registration that is not reported yet."""
    code = """
        const controller = new AbortController();
        const registered = outcome(mc.registerTool(tool(), {signal: controller.signal}));
        controller.abort('why');
        const names = Object.keys(await toolsBy());
        await mc.registerTool(tool());
        return [await registered, names, Object.keys(await toolsBy())];"""
    assert await run(code) == ["why", [], ["t"]]


async def test_signal_of_a_past_registration_is_forgotten(run: Run) -> None:
    """A second registration under the name is not ended by the signal of the first."""
    code = """
        const first = new AbortController();
        await mc.registerTool(tool(), {signal: first.signal});
        first.abort();
        await mc.registerTool(tool({description: 'second'}));
        return (await mc.getTools()).map(({description}) => description);"""
    assert await run(code) == ["second"]


async def test_values_are_converted(run: Run) -> None:
    """Names, titles and hints become strings and booleans; a broken surrogate in a title is replaced."""
    code = """
        await mc.registerTool({name: 5, title: 'a\\ud800b', description: 6, execute() {},
            annotations: {readOnlyHint: 'yes', consequentialHint: 0, unknown: 1}});
        const [{name, title, description, annotations}] = await mc.getTools();
        return [name, title, description, annotations];"""
    assert await run(code) == [
        "5",
        "a\ufffdb",
        "6",
        {
            "consequentialHint": False,
            "debugging": False,
            "readOnlyHint": True,
            "untrustedContentHint": False,
        },
    ]


SCHEMAS: dict[str, Any] = {
    "undefined": "absent",
    "{type: 'object', properties: {a: {pattern: '['}}}": {
        "type": "object",
        "properties": {"a": {"pattern": "["}},
    },
    "{type: 'string', dropped: undefined, also() {}}": {"type": "string"},
    "[1]": [1],
    "{toJSON: () => 'text'}": "not listed",
    "{toJSON: () => 5}": "not listed",
    "{toJSON: () => null}": "not listed",
    "new Date(0)": "not listed",
}


async def test_schemas(run: Run) -> None:
    """Any object is a schema and is not judged; a tool whose schema is not an object as JSON is not listed."""
    code = """
        const listed = async (inputSchema) => {
            const controller = new AbortController();
            await mc.registerTool(tool({inputSchema}), {signal: controller.signal});
            const [found] = await mc.getTools();
            controller.abort();
            return found ? found.inputSchema ?? 'absent' : 'not listed';
        };"""
    assert await run(code + table("listed({})", SCHEMAS)) == SCHEMAS
