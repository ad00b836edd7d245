"""What is asked of a page that is read: JavaScript, each a function that gives plain data."""

from __future__ import annotations

FUNCTIONS = """
    () => Object.getOwnPropertyNames(globalThis).filter((name) => {
        if (globalThis.__webagentBefore?.has(name)) return false;
        if (!/^[a-z][A-Za-z0-9]{2,}$/.test(name)) return false;
        if (/^(?:on[a-z]+|gtag|fbq|clarity|require|define|jQuery|htmx|webpack.*|parcel.*)$/.test(name)) {
            return false;
        }
        const property = Object.getOwnPropertyDescriptor(globalThis, name);
        const fn = property?.value;
        if (typeof fn !== "function") return false;
        const code = Function.prototype.toString.call(fn);
        // One that was declared, not assigned, and gives nothing back is a part of others.
        if (!property.configurable && !/\\breturn\\b/.test(code)) return false;
        if (/\\[native code\\]\\s*\\}$/.test(code) || code.startsWith("class")) return false;
        return !code.split("\\n").some((line) => line.length > 500);
    }).slice(0, 100)
"""
"""Names of the functions that the site's author seems to have written; minified code is a library."""

PARAMETERS = """
    (names) => {
        const split = (code) => {
            const parts = [];
            let depth = 0, part = "", quote = "";
            for (let i = 0; i < code.length; i++) {
                const c = code[i];
                if (quote) {
                    part += c;
                    if (c === "\\\\") part += code[++i] ?? "";
                    else if (c === quote) quote = "";
                } else if (c === "/" && (code[i + 1] === "*" || code[i + 1] === "/")) {
                    const end = code.indexOf(code[i + 1] === "*" ? "*/" : "\\n", i + 2);
                    if (end < 0) return null;
                    i = code[i + 1] === "*" ? end + 1 : end;
                } else if (`"'\\``.includes(c)) {
                    quote = c;
                    part += c;
                } else if ("([{".includes(c)) {
                    if (depth++ > 0) part += c;
                } else if (")]}".includes(c)) {
                    if (--depth === 0) return [...parts, part];
                    part += c;
                } else if (c === "," && depth === 1) {
                    parts.push(part);
                    part = "";
                } else part += c;
            }
            return null;
        };
        const read = (part, index) => {
            const equals = part.indexOf("=");
            const name = (equals < 0 ? part : part.slice(0, equals)).trim();
            const plain = /^[A-Za-z_$][A-Za-z0-9_$]*$/.test(name);
            return {
                name: plain ? name : name.startsWith("{") ? "options" : `argument${index + 1}`,
                fallback: equals < 0 ? null : part.slice(equals + 1).trim().slice(0, 200),
            };
        };
        return names.slice(0, 500).map((name) => {
            const code = Function.prototype.toString.call(globalThis[name]).slice(0, 20000);
            const single = /^(?:async\\s+)?([A-Za-z_$][A-Za-z0-9_$]*)\\s*=>/.exec(code);
            const start = code.indexOf("(");
            const parts = single ? [single[1]] : start < 0 ? null : split(code.slice(start));
            const given = (parts ?? []).map((part) => part.trim());
            return {name, params: given.filter((part) => part && !part.startsWith("...")).map(read)};
        });
    }
"""
"""The parameters of functions, as their source text has them."""

LINKS = """
    () => [...document.querySelectorAll("a[href]")].slice(0, 2000).map((link) => link.href)
"""

ABOUT = """
    () => ({
        title: document.title,
        description: document.querySelector("meta[name=description i]")?.content || "",
        heading: document.querySelector("h1")?.textContent || "",
        secure: isSecureContext,
    })
"""

COMMENTS = """
    async (names) => {
        const urls = new Set(performance.getEntriesByType("resource").map((one) => one.name)
            .concat([...document.scripts].map((one) => one.src)));
        const own = [...urls].filter((url) => url.startsWith(location.origin + "/")
            && /\\.m?js(?:\\?|$)/.test(url)).slice(0, 50);
        const read = (url) => fetch(url).then((answer) => answer.ok ? answer.text() : "", () => "");
        const texts = [...document.scripts].filter((one) => !one.src).map((one) => one.text)
            .concat(await Promise.all(own.map(read))).filter((text) => text.length < 500000);
        const found = {};
        for (const name of names) {
            const before = new RegExp("/\\\\*\\\\*((?:[^*]|\\\\*(?!/)){1,3000})\\\\*/\\\\s*(?:export\\\\s+)?(?:default\\\\s+)?"
                + "(?:(?:async\\\\s+)?function\\\\s+|(?:const|let|var)\\\\s+"
                + "|(?:global|globalThis|window|self)\\\\.)" + name + "\\\\b");
            const comment = texts.map((text) => before.exec(text)).find(Boolean);
            if (comment) found[name] = comment[1];
        }
        return found;
    }
"""
"""What stands in a comment before each of these functions, in scripts of the page's own origin."""

FOLLOW = """
    (url) => {
        const link = [...document.querySelectorAll("a[href]")].find((one) => one.href === url);
        link?.click();
        return link !== undefined;
    }
"""
"""Clicks the link to an address, if it is there."""
