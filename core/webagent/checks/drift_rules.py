"""Rules about a page that is not what the manifest says it is."""

from __future__ import annotations

from webagent.diagnostics import Severity
from webagent.diagnostics.rule import Rule

_SEARCH = "# Shop\n\n## searchProducts\nFind products.\n\n### Params\n- `query` (string, required): Words.\n"
_CART = _SEARCH + "\n## getCart\nWhat is in the cart.\n\n### Params\n"
_OUTPUT = "\n### Output\n```typescript\nArray<{ name: string; price: number }>\n```\n"

PAGE = (
    Rule(
        "missing-function",
        Severity.WARNING,
        "The manifest declares a tool, and the page has neither a function nor a registered tool of "
        "that name, also some seconds after it was ready.",
        "Whoever calls the tool on this page gets an error. If it belongs to other pages, say so "
        "with `paths:`.",
        _CART,
        _SEARCH,
        "global.searchProducts = async (query) => [];",
    ),
    Rule(
        "undeclared-function",
        Severity.INFO,
        "The page has a function that looks as if it were made for agents, and the manifest does "
        "not name it.",
        "No agent can know of it. Functions of libraries, and those whose names begin with `_` or "
        "`$`, are passed over.",
        _SEARCH,
        _CART,
        "global.searchProducts = async (query) => [];\nglobal.getCart = async () => [];",
    ),
    Rule(
        "wrong-arity",
        Severity.WARNING,
        "The function of the page takes another number of arguments than the manifest declares.",
        "Arguments that are declared get lost, or what the function needs never reaches it.",
        _CART,
        _CART.replace("Words.\n", "Words.\n- `limit` (number, required): How many.\n"),
        "global.searchProducts = async (query, limit) => [];\nglobal.getCart = async () => [];",
    ),
    Rule(
        "result-mismatch",
        Severity.WARNING,
        "A call gave something else than the declared output.",
        "Agents write code against the declared type, and it fails on what really comes. This is "
        "seen in development, when a tool is called.",
        _SEARCH + _OUTPUT,
        _SEARCH + _OUTPUT.replace("price: number", "price: string"),
        'global.searchProducts = async (query) => [{ name: "Mug", price: "9.50" }];',
    ),
)
