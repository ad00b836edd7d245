"""What is asked of a page that is read: JavaScript, each a function that gives plain data."""

from __future__ import annotations

FUNCTIONS = """
    () => Object.getOwnPropertyNames(globalThis).filter((name) => {
        if (globalThis.__webagentBefore?.has(name)) return false;
        if (!/^[a-z][A-Za-z0-9]{2,}$/.test(name)) return false;
        if (/^(?:on[a-z]+|gtag|fbq|clarity|require|define|jQuery|htmx|webpack.*|parcel.*)$/.test(name)) {
            return false;
        }
        const fn = Object.getOwnPropertyDescriptor(globalThis, name)?.value;
        if (typeof fn !== "function") return false;
        const code = Function.prototype.toString.call(fn);
        if (/\\[native code\\]\\s*\\}$/.test(code) || code.startsWith("class")) return false;
        return !code.split("\\n").some((line) => line.length > 500);
    }).slice(0, 100)
"""
"""Names of the functions that the site's author seems to have written; minified code is a library."""

NAME_FORMS = """
    () => {
        const words = (text) => (text || "").replace(/[^A-Za-z0-9]+/g, " ")
            .replace(/([a-z0-9])([A-Z])/g, "$1 $2").trim().split(" ").filter(Boolean).slice(0, 4);
        const text = (node) => (node?.textContent || "").replace(/\\s+/g, " ").trim().slice(0, 200);
        const skip = new Set(["form", "the", "a", "an", "php", "html", "aspx", "submit"]);
        const nameOf = (form) => {
            const action = form.getAttribute("action") || "";
            const last = action.split(/[?#]/)[0].split("/").filter(Boolean).pop();
            const button = form.querySelector("button:not([type=button]), input[type=submit]");
            const role = form.matches("[role=search]") || form.closest("search") ? "search" : "";
            const given = [form.id, form.getAttribute("name"), form.getAttribute("aria-label"),
                role, last, text(button) || button?.value];
            for (const one of given) {
                const found = words(one).map((word) => word.toLowerCase())
                    .filter((word) => !skip.has(word));
                if (found.length && /^[a-z]/.test(found[0])) {
                    return found[0] + found.slice(1)
                        .map((word) => word[0].toUpperCase() + word.slice(1)).join("");
                }
            }
            return "form";
        };
        const described = (form) => {
            const by = (form.getAttribute("aria-labelledby") || "").split(/\\s+/)
                .map((id) => id && text(document.getElementById(id))).filter(Boolean).join(" ");
            if (by) return by;
            const own = form.getAttribute("aria-label") || text(form.querySelector("legend, h1, h2, h3"));
            if (own) return own;
            let before = "";
            for (const heading of document.querySelectorAll("h1, h2, h3, h4")) {
                const place = heading.compareDocumentPosition(form);
                if (place & Node.DOCUMENT_POSITION_FOLLOWING) before = text(heading) || before;
            }
            return before || text(form.querySelector("button")) || document.title;
        };
        globalThis.__webagentNamed ??= [];
        for (const form of [...document.forms].slice(0, 100)) {
            if (form.hasAttribute("toolname") || form.method === "dialog") continue;
            if (![...form.elements].some((one) => one.name && one.type !== "hidden")) continue;
            const taken = new Set([...document.querySelectorAll("form[toolname]")]
                .map((one) => one.getAttribute("toolname")));
            const base = nameOf(form);
            let name = base;
            for (let number = 2; taken.has(name); number++) name = base + number;
            const copy = form.cloneNode(false);
            const tag = copy.outerHTML.slice(0, copy.outerHTML.indexOf(">") + 1);
            form.setAttribute("toolname", name);
            form.setAttribute("tooldescription", described(form));
            globalThis.__webagentNamed.push({name, tag, method: form.method});
        }
        return globalThis.__webagentNamed;
    }
"""
"""Gives a name to each form that has none, so that it is read as a tool; returns those."""

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
        manifest: document.querySelector("meta[name=webagents-md i]")?.content || "",
        secure: isSecureContext,
    })
"""
