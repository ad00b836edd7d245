"""`executeTool`: what goes in, what comes out, errors, cancelling, and the events of a run."""

from __future__ import annotations

from tests.e2e.modelcontext.conftest import Run, table

RETURNED = {
    "'abc'": "abc",
    "''": "Operation succeeded",
    "undefined": "undefined",
    "null": "null",
    "42": "42",
    "-0": "0",
    "NaN": "NaN",
    "true": "true",
    "10n": "10",
    "{a: 1, c: undefined}": '{"a":1}',
    "[1, 'x', null]": '[1,"x",null]',
    "new Date(0)": '"1970-01-01T00:00:00.000Z"',
    "new Map([[1, 2]])": "{}",
    "() => 1": "undefined",
    "{toJSON: () => undefined}": "undefined",
    "{content: [], isError: true}": '{"content":[],"isError":true}',
    "Promise.resolve({then: (resolve) => resolve('then')})": "then",
    "Promise.reject(new Error('secret'))": "UnknownError",
    "circular": "UnknownError",
    "{toJSON() { throw 1; }}": "UnknownError",
}


async def test_return_values(run: Run) -> None:
    """A tool's result becomes a string; one that cannot fails without a word of why."""
    code = """
        let value;
        const circular = {};
        circular.circular = circular;
        await mc.registerTool(tool({execute: () => value()}));
        const {t} = await toolsBy();
        const returned = (what) => ((value = what), outcome(mc.executeTool(t)));"""
    assert await run(code + table("returned(() => ({}))", RETURNED)) == RETURNED


INPUTS = {
    "": "{}",
    ", undefined": "{}",
    ", {date: new Date(0), nan: NaN, map: new Map(), not: undefined, nor() {}}": '{"date":"1970-01-01T00:00:00.000Z","nan":null,"map":{}}',
    ", [1, 2]": "[1,2]",
    ", null": "TypeError",
    ", 'text'": "TypeError",
    ", 5": "TypeError",
    ", () => 1": "TypeError",
    ", circular": "TypeError",
    ", {big: 1n}": "TypeError",
    ", {toJSON: () => undefined}": "TypeError",
    ", {toJSON: () => 5}": "UnknownError",
    ", {toJSON: () => null}": "UnknownError",
}


async def test_inputs(run: Run) -> None:
    """Input goes through JSON, whatever the schema says."""
    code = """
        const circular = {};
        circular.circular = circular;
        const inputSchema = {type: 'object', required: ['missing'], additionalProperties: false};
        await mc.registerTool(tool({inputSchema, execute: (input) => JSON.stringify(input)}));
        const {t} = await toolsBy();"""
    assert await run(code + table("outcome(mc.executeTool(t{}))", INPUTS)) == INPUTS


TARGETS = {
    "t": "done",
    "{name: 't', description: '', window, origin: HERE}": "done",
    "{...t, origin: HERE + '/path?query'}": "done",
    "undefined": "TypeError",
    "'t'": "TypeError",
    "{...t, name: undefined}": "TypeError",
    "{...t, description: undefined}": "TypeError",
    "{...t, origin: undefined}": "TypeError",
    "{...t, window: undefined}": "TypeError",
    "{...t, window: {}}": "TypeError",
    "{...t, window: Object.create(window)}": "TypeError",
    "{...t, annotations: 5}": "TypeError",
    "{...t, inputSchema: '{}'}": "TypeError",
    "{...t, origin: 'null'}": "NotSupportedError",
    "{...t, origin: 'data:,x'}": "NotSupportedError",
    "{...t, origin: 'here'}": "NotSupportedError",
    "{...t, origin: OTHER}": "UnknownError",
    "{...t, name: 'other'}": "UnknownError",
}


async def test_targets(run: Run) -> None:
    """A tool is named by name, window and origin; all three have to be right."""
    code = "await mc.registerTool(tool()); const {t} = await toolsBy();"
    assert await run(code + table("outcome(mc.executeTool({}))", TARGETS)) == TARGETS


ORDER = {
    "{...t, window: {}}, null": "TypeError",
    "{...t, origin: 'here'}, circular": "NotSupportedError",
    "t, circular, {signal: AbortSignal.abort('aborted')}": "TypeError",
    "t, {toJSON: () => 5}, {signal: AbortSignal.abort('aborted')}": "aborted",
    "{...t, name: 'other'}, {}, {signal: AbortSignal.abort('aborted')}": "aborted",
    "t, {}, {signal: null}": "TypeError",
    "t, {}, null": "done",
}


async def test_order_of_checks(run: Run) -> None:
    """Of several faults, the same one is reported first."""
    code = """
        const circular = {};
        circular.circular = circular;
        await mc.registerTool(tool());
        const {t} = await toolsBy();"""
    assert await run(code + table("outcome(mc.executeTool({}))", ORDER)) == ORDER


async def test_call_of_the_function(run: Run) -> None:
    """The function gets a copy of the input and a signal of its own, and the window as `this`."""
    code = """
        const input = {a: 1}, calls = [];
        globalThis.note = (...call) => calls.push(call);
        await mc.registerTool(tool({execute: new Function('given', 'options', 'note(this, given, options)')}));
        const {t} = await toolsBy();
        await mc.executeTool(t, input);
        await mc.executeTool(t, input);
        const [[self, copy, options], [, , second]] = calls;
        return [self === window, copy === input, copy, Object.keys(options), options.signal.aborted,
            options.signal === second.signal];"""
    assert await run(code) == [True, False, {"a": 1}, ["signal"], False, False]


async def test_events_of_a_run(run: Run) -> None:
    """The function runs, then its first promise reactions, then `toolactivated` fires, then the caller hears."""
    code = """
        const told = [];
        await mc.registerTool(tool({execute: async () => { told.push('run'); await 0; told.push('reaction'); }}));
        mc.addEventListener('toolactivated', ({constructor, toolName, bubbles, cancelable, target}) =>
            told.push([constructor.name, toolName, bubbles, cancelable, target === mc]));
        mc.ontoolcancel = () => told.push('cancelled');
        const {t} = await toolsBy();
        const running = mc.executeTool(t);
        told.push('called');
        await running;
        told.push('done');
        return told;"""
    event = ["ToolActivatedEvent", "t", False, False, True]
    assert await run(code) == ["called", "run", "reaction", event, "done"]


async def test_an_error_thrown_by_a_tool_stays_in_its_page(run: Run) -> None:
    """An error reaches neither the caller nor the window's handlers; `toolactivated` still fires."""
    code = """
        const told = [];
        addEventListener('error', () => told.push('error'));
        addEventListener('unhandledrejection', () => told.push('rejection'));
        mc.ontoolactivated = () => told.push('activated');
        await mc.registerTool(tool({execute() { throw new RangeError('secret'); }}));
        const {t} = await toolsBy();
        const {name, message} = await mc.executeTool(t).catch((error) => error);
        await task();
        return [name, message.includes('secret'), told];"""
    assert await run(code) == ["UnknownError", False, ["activated"]]


async def test_cancelling(run: Run) -> None:
    """The caller is rejected with its reason, then the tool's signal aborts with another, then `toolcancel` fires."""
    code = """
        const told = [];
        await mc.registerTool(tool({execute: (_, {signal}) => new Promise(() => {
            signal.onabort = () => told.push(['aborted', signal.reason.name]);
        })}));
        const {t} = await toolsBy();
        const cancelled = next(mc, 'toolcancel').then((event) => told.push([event.constructor.name, event.toolName]));
        const controller = new AbortController();
        const running = mc.executeTool(t, {}, {signal: controller.signal}).catch((reason) => told.push(reason));
        await next(mc, 'toolactivated');
        controller.abort('mine');
        await cancelled;
        return told;"""
    assert await run(code) == ["mine", ["aborted", "AbortError"], ["ToolCancelEvent", "t"]]


async def test_cancelling_before_the_start(run: Run) -> None:
    """A call that is cancelled in the task that made it runs all the same, and is cancelled then."""
    code = """
        const told = [];
        for (const type of ['toolactivated', 'toolcancel']) mc.addEventListener(type, () => told.push(type));
        await mc.registerTool(tool({execute: (_, {signal}) => new Promise(() => {
            told.push('run');
            signal.onabort = () => told.push('aborted');
        })}));
        const {t} = await toolsBy();
        const cancelled = next(mc, 'toolcancel');
        const controller = new AbortController();
        const running = mc.executeTool(t, {}, {signal: controller.signal}).catch((reason) => told.push(reason));
        controller.abort('mine');
        await cancelled;
        return told;"""
    assert await run(code) == ["mine", "run", "toolactivated", "aborted", "toolcancel"]


async def test_aborted_signal(run: Run) -> None:
    """An aborted signal rejects at once, and the tool never runs."""
    code = """
        let runs = 0;
        await mc.registerTool(tool({execute: () => (runs += 1)}));
        const {t} = await toolsBy();
        let reason;
        mc.executeTool(t, {}, {signal: AbortSignal.abort('aborted')}).catch((given) => (reason = given));
        await 0;
        const early = reason;
        await mc.executeTool(t);
        return [early, runs];"""
    assert await run(code) == ["aborted", 1]


async def test_calls_are_independent(run: Run) -> None:
    """Cancelling one call leaves another of the same tool alone; a late result changes nothing."""
    code = """
        const ends = [];
        await mc.registerTool(tool({execute: () => new Promise((end) => ends.push(end))}));
        const {t} = await toolsBy();
        const controller = new AbortController();
        const first = outcome(mc.executeTool(t, {}, controller));
        const second = mc.executeTool(t);
        while (ends.length < 2) await task();
        controller.abort('first');
        const reason = await first;
        for (const end of ends) end('result');
        return [reason, await second];"""
    assert await run(code) == ["first", "result"]


async def test_unregistering_leaves_a_run_alone(run: Run) -> None:
    """A tool that unregisters itself while it runs still answers."""
    code = """
        const controller = new AbortController();
        await mc.registerTool(tool({execute() { controller.abort(); return 'answer'; }}), controller);
        const {t} = await toolsBy();
        return [await mc.executeTool(t), await outcome(mc.executeTool(t))];"""
    assert await run(code) == ["answer", "UnknownError"]


async def test_handler_attributes(run: Run) -> None:
    """The `on…` attributes keep their place among the listeners, take functions and objects, and nothing else."""
    code = """
        const told = [];
        mc.ontoolchange = () => told.push('early');
        mc.addEventListener('toolchange', () => told.push('listener'));
        mc.ontoolchange = function () { told.push(this === mc ? 'attribute' : 'other'); };
        await mc.registerTool(tool());
        const values = [];
        for (const value of [5, 'text', {}, null]) { mc.ontoolchange = value; values.push(typeof mc.ontoolchange); }
        return [told, values, mc.ontoolchange];"""
    assert await run(code) == [
        ["attribute", "listener"],
        ["object", "object", "object", "object"],
        None,
    ]
