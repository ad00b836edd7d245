"""The rules for published sites, which `webagent-dev check URL` uses."""

from __future__ import annotations

from webagent.diagnostics import Severity
from webagent.diagnostics.rule import Rule
from webagent_dev.config.audit_rules import AUDIT_RULES

_ERROR, _WARNING, _INFO = Severity.ERROR, Severity.WARNING, Severity.INFO

LIVE_RULES: dict[str, Rule] = {
    name: Rule(name, severity, what, why, example, instead)
    for name, severity, what, why, example, instead in (
        (
            "insecure-page",
            _WARNING,
            "The page is served over `http`.",
            "Anyone between the server and the visitor can change the tools and what they do.",
            "http://shop.example/",
            "https://shop.example/",
        ),
        (
            "manifest-redirected",
            _WARNING,
            "The announced address of the manifest redirects.",
            "Agents refuse to follow a manifest to another origin, and every redirect costs time.",
            "GET /webagents.md\nHTTP 301\nlocation: /agents/webagents.md",
            '<meta name="webagents-md" content="/agents/webagents.md">',
        ),
        (
            "not-announced",
            _WARNING,
            "The page does not name its manifest, which was found at a conventional place only.",
            "Not every agent looks at conventional places.",
            "<head><title>Shop</title></head>",
            '<head><meta name="webagents-md" content="/webagents.md"><title>Shop</title></head>',
        ),
        (
            "manifest-type",
            _WARNING,
            "The manifest is sent as another type than `text/markdown` or `text/plain`.",
            "Browsers offer it as a download, and agents may take it for something else.",
            "content-type: application/octet-stream",
            "content-type: text/markdown; charset=utf-8",
        ),
        (
            "manifest-charset",
            _WARNING,
            "The type of the manifest names no `charset=utf-8`.",
            "Programs that follow HTTP to the letter then guess, and may garble characters beyond ASCII.",
            "content-type: text/markdown",
            "content-type: text/markdown; charset=utf-8",
        ),
        (
            "manifest-caching",
            _WARNING,
            "The manifest may be kept for more than an hour without asking.",
            "Agents work with tools that the pages no longer have.",
            "cache-control: max-age=604800",
            "cache-control: no-cache",
        ),
        (
            "policy-blocks-agent",
            _ERROR,
            "The Content-Security-Policy of the page keeps the agent from running.",
            "The page has the agent's script, and the browser refuses a part of it.",
            "content-security-policy: script-src 'self'",
            "content-security-policy: script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'",
        ),
        (
            "policy-blocks-programs",
            _WARNING,
            "The policy for `sandbox.html`, or that of the page, keeps programs from running there.",
            "Agents can call tools one by one, but cannot run programs.",
            "GET /webagent/0123456789abcdef/sandbox.html\n"
            "content-security-policy: script-src 'self' 'wasm-unsafe-eval'",
            "GET /webagent/0123456789abcdef/sandbox.html\n"
            "content-security-policy: the one that `webagent-dev build` prints for this file",
        ),
        (
            "development-tags",
            _ERROR,
            "The page has tags of the development server.",
            "They lead to URLs that exist on a developer's machine only.",
            '<script type="module" src="/__webagent__/webagent.js"></script>',
            "webagent-dev build my-site --out public",
        ),
        (
            "bundle-missing",
            _ERROR,
            "A script of the agent is not where the page says.",
            "The page has no agent.",
            '<script type="module" src="/webagent/old/webagent.js"></script>',
            "webagent-dev build my-site --out public, and the whole of public copied",
        ),
        (
            "bundle-integrity",
            _ERROR,
            "A script of the agent is not the one whose hash is in its tag.",
            "Browsers refuse to run it.",
            '<script src="/webagent/…/global.js" integrity="sha384-of-another-file"></script>',
            "The files of one build, unchanged by the host (no rewriting, no minifying).",
        ),
        (
            "bundle-caching",
            _INFO,
            "The agent's files, named by their content, are not sent as `immutable`.",
            "Browsers ask again for megabytes that cannot have changed.",
            "cache-control: no-cache",
            "cache-control: public, max-age=31536000, immutable",
        ),
        (
            "bundle-compression",
            _INFO,
            "The agent's files are not sent compressed.",
            "Visitors download 30 MB instead of 8 before the agent is ready.",
            "GET /webagent/0123456789abcdef/webagent.js\naccept-encoding: gzip, br\n\n"
            "HTTP 200\ncontent-type: text/javascript",
            "content-encoding: br\nvary: Accept-Encoding",
        ),
        (
            "token-in-page",
            _ERROR,
            "The HTML of the page has a token of webagent.",
            "HTML may be cached, and everyone who gets the copy has the token.",
            '<meta name="token" content="webagent_page_1790000000_0123…">',
            "Nothing: the page gets its token by a POST of its own.",
        ),
        (
            "key-in-answer",
            _ERROR,
            "An answer of the site has what looks like the key of a model's provider.",
            "Every reader of it can spend the owner's money.",
            "<script>const key = 'sk-…'</script>",
            "`WebAgent(…, model=…)`, which keeps the key on the server.",
        ),
        (
            "gateway-refuses-pages",
            _ERROR,
            "The gateway gives the site's own page no token, or does not accept it.",
            "Visitors keep the agent without a model.",
            "POST /__webagent__/llm/token\nhost: 127.0.0.1:8000\norigin: https://shop.example\n\nHTTP 403",
            "A proxy that passes `Host` on unchanged, and one `WEBAGENT_SECRET` for all workers.",
        ),
        (
            "gateway-tokens",
            _ERROR,
            "Tokens are given to others than the site's own pages, or may be cached.",
            "Other sites and programs use the model at the owner's expense.",
            "POST /__webagent__/llm/token\norigin: https://other.example\n\nHTTP 200",
            "POST /__webagent__/llm/token\norigin: https://other.example\n\nHTTP 403",
        ),
        (
            "gateway-limits",
            _ERROR,
            "The gateway takes a model that the owner has not named, or a request of any size.",
            "Visitors choose what the owner pays for.",
            'POST /__webagent__/llm/v1/chat/completions\n{"model": "any"}\n\nHTTP 200',
            'POST /__webagent__/llm/v1/chat/completions\n{"model": "any"}\n\nHTTP 404',
        ),
        (
            "gateway-body",
            _WARNING,
            "A proxy refuses requests that the gateway would take.",
            "Runs with pictures of the page, and long ones, fail.",
            "client_max_body_size 1m;",
            "client_max_body_size 5m;",
        ),
        (
            "agent-fails",
            _ERROR,
            "The page does not open in a browser, or the agent in it does not start.",
            "Nothing in the page can use its tools.",
            "webagent.ready is rejected",
            "webagent.ready resolves",
        ),
        (
            "tool-not-there",
            _ERROR,
            "A page lacks a tool that the manifest says it has.",
            "Agents call a tool that was promised, and get an error.",
            "## searchBooks\nin the manifest, and no `searchBooks` in the page",
            "globalThis.searchBooks = async (query) => { … };",
        ),
    )
} | AUDIT_RULES
"""Rules by name, in the order in which they are checked; those of the audit are the last."""
