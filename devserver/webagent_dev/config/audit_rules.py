"""The rules that `webagent-dev check --audit` has besides those for any published site."""

from __future__ import annotations

from webagent.diagnostics import Severity
from webagent.diagnostics.rule import Rule

_ERROR, _WARNING, _INFO = Severity.ERROR, Severity.WARNING, Severity.INFO

AUDIT_RULES: dict[str, Rule] = {
    name: Rule(name, severity, what, why, example, instead)
    for name, severity, what, why, example, instead in (
        (
            "no-manifest",
            _WARNING,
            "The page announces no manifest, and there is none at a conventional place.",
            "Agents learn of tools only once they have opened the page.",
            "<head><title>Shop</title></head>",
            '<head><meta name="webagents-md" content="/webagents.md"><title>Shop</title></head>',
        ),
        (
            "announcements-differ",
            _WARNING,
            "The HTML of the page and its `Link` header name different manifests.",
            "Agents work with one or the other, depending on where they look.",
            'link: </old.md>; rel="webagents-md"\n\n<meta name="webagents-md" content="/webagents.md">',
            'link: </webagents.md>; rel="webagents-md"\n\n'
            '<meta name="webagents-md" content="/webagents.md">',
        ),
        (
            "policy-blocks-webmcp",
            _ERROR,
            "The `Permissions-Policy` of the page turns WebMCP off.",
            "Tools that the page registers reach no agent of the browser.",
            "permissions-policy: tools=()",
            "permissions-policy: tools=(self)",
        ),
        (
            "page-without-tools",
            _WARNING,
            "The page offers no tools: no function of a manifest, no WebMCP, no form as a tool.",
            "Agents have to read the page and click in it.",
            "<form action=/search><input name=q></form>",
            "<form action=/search toolname=search tooldescription='Find books.'><input name=q></form>",
        ),
        (
            "too-many-tools",
            _WARNING,
            "The page offers more than 40 tools at a time.",
            "Each of them is read by the model with every goal, and similar ones are confused.",
            "A page with 60 tools",
            "Tools with `paths` under `### Behavior`, each on the pages that it is for",
        ),
        (
            "tool-schema-invalid",
            _ERROR,
            "The input schema of a tool of the page is not a JSON Schema of an object.",
            "Models write arguments by it, and then cannot.",
            'inputSchema: { type: "objekt" }',
            'inputSchema: { type: "object", properties: { q: { type: "string" } } }',
        ),
        (
            "tool-not-described",
            _WARNING,
            "A tool of the page has no description.",
            "A model has only the name to decide by.",
            '{ name: "search", description: "" }',
            '{ name: "search", description: "Finds books by title or author." }',
        ),
        (
            "parameter-not-described",
            _WARNING,
            "A parameter of a tool of the page has neither a title nor a description.",
            "A model guesses what to write there.",
            "<input name=q>",
            "<label>Title or author <input name=q></label>",
        ),
        (
            "form-half-described",
            _ERROR,
            "A form has one of `toolname` and `tooldescription`, and lacks the other.",
            "Browsers make no tool of it.",
            "<form toolname=search>",
            "<form toolname=search tooldescription='Find books.'>",
        ),
        (
            "field-without-name",
            _WARNING,
            "A field of a form that is a tool has no `name`; an error where it is required.",
            "It does not become a parameter, so an agent cannot fill it in.",
            "<form toolname=search tooldescription='Find books.'><input required></form>",
            "<form toolname=search tooldescription='Find books.'><input name=q required></form>",
        ),
        (
            "form-without-tool",
            _WARNING,
            "A form is not a tool.",
            "Agents fill it in field by field, by its looks.",
            "<form action=/search>",
            "<form action=/search toolname=search tooldescription='Find books.'>",
        ),
        (
            "element-without-name",
            _ERROR,
            "A control, a picture or the page itself has no name that programs can read.",
            "Agents see a button, and not what it does.",
            "<button><svg>…</svg></button>",
            '<button aria-label="Add to basket"><svg>…</svg></button>',
        ),
        (
            "wrong-aria",
            _ERROR,
            "The accessibility tree is wrong: a role, an attribute or the structure of a list.",
            "Agents read the page by this tree.",
            '<div role="buton">Buy</div>',
            "<button>Buy</button>",
        ),
        (
            "layout-shift",
            _WARNING,
            "The page moves while it loads: by more than 0.1; an error beyond 0.25.",
            "An agent clicks where the button was when it looked.",
            '<img src="cover.jpg">',
            '<img src="cover.jpg" width="320" height="480">',
        ),
        (
            "llms-txt-invalid",
            _ERROR,
            "`/llms.txt` is not as llmstxt.org says: Markdown with a title and links.",
            "Programs that read it find nothing.",
            "Welcome to our shop!",
            "# Shop\n\n> Books by post.\n\n## Pages\n\n- [Search](https://shop.example/search): all books",
        ),
        (
            "llms-txt-form",
            _WARNING,
            "`/llms.txt` has a title and links, and is not in the form of llmstxt.org.",
            "Programs that follow the form leave parts of it out.",
            "# Shop\n\n## Pages\n\nWe have a [search](https://shop.example/search).",
            "# Shop\n\n## Pages\n\n- [Search](https://shop.example/search): all books",
        ),
        (
            "robots-blocks-agents",
            _WARNING,
            "`/robots.txt` keeps agents that visitors send from the page or its manifest.",
            "Agents that honour it do not come.",
            "User-agent: *\nDisallow: /",
            "User-agent: *\nDisallow: /account/",
        ),
        (
            "robots-unreadable",
            _WARNING,
            "`/robots.txt` is a page, or the server fails at it.",
            "After a failure of the server, crawlers take the whole site for closed.",
            "GET /robots.txt\n\nHTTP 503",
            "GET /robots.txt\n\nHTTP 200\ncontent-type: text/plain",
        ),
        (
            "catalogue-invalid",
            _ERROR,
            "The catalogue `ai-catalog.json` does not fit the specification of Agentic Resource Discovery.",
            "Registries leave its entries out.",
            '{"specVersion": "1.0", "entries": [{"displayName": "Shop"}]}',
            '{"specVersion": "1.0", "entries": [{"identifier": "urn:air:shop.example:books", '
            '"displayName": "Shop", "type": "application/mcp-server-card+json", '
            '"url": "https://shop.example/card.json"}]}',
        ),
        (
            "catalogue-incomplete",
            _WARNING,
            "An entry of the catalogue lacks sample queries, or has a type that registries do not know.",
            "Registries find it less often.",
            '"type": "application/json"',
            '"type": "application/mcp-server-card+json", "representativeQueries": ["…", "…"]',
        ),
        (
            "catalogue-not-announced",
            _INFO,
            "There is a catalogue, and the page does not link to it.",
            "Agents that open the page do not learn of it.",
            "GET /\n\nHTTP 200",
            'GET /\n\nHTTP 200\nlink: </.well-known/ai-catalog.json>; rel="ai-catalog"',
        ),
        (
            "skills-invalid",
            _ERROR,
            "`/.well-known/agent-skills/index.json` is not one, or a skill does not have its digest.",
            "Agents refuse skills whose digest is wrong.",
            '{"skills": [{"name": "Buy a book"}]}',
            '{"$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json", "skills": []}',
        ),
        (
            "markdown-not-varied",
            _WARNING,
            "The page is sent as Markdown to who asks for it, without `Vary: Accept`.",
            "A cache then gives the Markdown to browsers, or HTML to agents.",
            "accept: text/markdown\n\nHTTP 200\ncontent-type: text/markdown",
            "accept: text/markdown\n\nHTTP 200\ncontent-type: text/markdown\nvary: Accept",
        ),
        (
            "origin-trial-invalid",
            _ERROR,
            "The page's token for the trial of WebMCP has ended, is of another site, or cannot be read.",
            "Browsers ignore it, and the tools of the page are gone.",
            '<meta http-equiv="origin-trial" content="a token that ended">',
            '<meta http-equiv="origin-trial" content="a token of this origin">',
        ),
        (
            "origin-trial-ends",
            _WARNING,
            "The page's token for the trial of WebMCP ends within 30 days.",
            "From then on browsers offer no tools of the page.",
            '<meta http-equiv="origin-trial" content="a token that ends next week">',
            '<meta http-equiv="origin-trial" content="a token that was renewed">',
        ),
    )
}
"""Rules by name, in the order of the rows of the audit."""
