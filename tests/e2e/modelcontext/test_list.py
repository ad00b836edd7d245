"""`getTools`: which tools it lists, in which order, and what they look like."""

from __future__ import annotations

from tests.e2e.modelcontext.conftest import Run, table


async def test_shape(run: Run) -> None:
    """A listed tool is a plain object whose keys have one order; what was not given is absent, except the title."""
    code = """
        await mc.registerTool(tool({name: 'full', title: 'T', inputSchema: {}, annotations: null}));
        await mc.registerTool(tool({name: 'sparse'}));
        return (await mc.getTools()).map((listed) => [Object.keys(listed), listed.title, listed.annotations,
            listed.window === window, listed.origin === location.origin,
            Object.getPrototypeOf(listed) === Object.prototype]);"""
    hints = ["consequentialHint", "debugging", "readOnlyHint", "untrustedContentHint"]
    assert await run(code) == [
        [
            ["annotations", "description", "inputSchema", "name", "origin", "title", "window"],
            "T",
            dict.fromkeys(hints, False),
            True,
            True,
            True,
        ],
        [["description", "name", "origin", "title", "window"], "", None, True, True, True],
    ]


async def test_order(run: Run) -> None:
    """Tools are sorted by the code units of their names."""
    code = """
        for (const name of ['b', 'a', 'B', '_', '10', '9', 'a.b', 'a-b']) await mc.registerTool(tool({name}));
        return (await mc.getTools()).map(({name}) => name).join(' ');"""
    assert await run(code) == "10 9 B _ a a-b a.b b"


async def test_lists_are_fresh(run: Run) -> None:
    """Changes to a list, or to a schema after its registration, do not reach later lists."""
    code = """
        const inputSchema = {type: 'object'};
        await mc.registerTool(tool({inputSchema, annotations: {}}));
        inputSchema.type = 'changed';
        const [first] = await mc.getTools();
        first.inputSchema.type = first.annotations.readOnlyHint = first.name = 'changed';
        const [{name, annotations, inputSchema: {type}}] = await mc.getTools();
        return [name, type, annotations.readOnlyHint];"""
    assert await run(code) == ["t", "object", False]


OPTIONS = {
    "undefined": [],
    "null": [],
    "{}": [],
    "{fromOrigins: []}": [],
    "{fromOrigins: new Set(['https://a.example'])}": [],
    "5": "TypeError",
    "{fromOrigins: null}": "TypeError",
    "{fromOrigins: 'https://a.example'}": "TypeError",
    "{fromOrigins: ['http://a.example']}": "SecurityError",
    "{fromOrigins: ['']}": "SecurityError",
}


async def test_options(run: Run) -> None:
    """Other origins are a sequence of trustworthy origins."""
    assert await run(table("outcome(mc.getTools({}))", OPTIONS)) == OPTIONS


async def test_no_frames_of_strangers(run: Run) -> None:
    """Naming an origin that no frame has costs nothing and lists nothing more."""
    code = """
        await mc.registerTool(tool());
        return (await mc.getTools({fromOrigins: ['https://a.example', OTHER]})).length;"""
    assert await run(code) == 1
