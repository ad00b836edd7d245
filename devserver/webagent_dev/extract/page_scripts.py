"""JavaScript that reads a page: functions that return its forms, functions and links as data."""

from __future__ import annotations

_ROOTS = """
    const MOST = 100;
    const roots = [];
    const enter = (root) => {
        roots.push(root);
        for (const one of root.querySelectorAll("*")) {
            if (one.shadowRoot) enter(one.shadowRoot);
            if (one.localName !== "iframe" && one.localName !== "frame") continue;
            // Null for a frame of another origin.
            if (one.contentDocument?.documentElement) enter(one.contentDocument);
        }
    };
    enter(document);
    const attribute = (node, name) => Element.prototype.getAttribute.call(node, name) ?? "";
    const controlsOf = (form) => [...Object.getOwnPropertyDescriptor(
        HTMLFormElement.prototype, "elements").get.call(form)];
"""

FORMS = (
    "() => {"
    + _ROOTS
    + r"""
        const text = (node) => (node?.textContent || "").replace(/\s+/g, " ").trim().slice(0, 200);
        const own = (label, control) => {
            const copy = label.cloneNode(true);
            for (const one of copy.querySelectorAll("input, select, textarea, button")) one.remove();
            return text(copy);
        };
        const named = (node) => {
            const root = node.getRootNode();
            const by = attribute(node, "aria-labelledby").split(/\s+/)
                .map((id) => id && text(root.getElementById?.(id))).filter(Boolean).join(" ");
            return by || attribute(node, "aria-label").trim();
        };
        const HEADINGS = "h1, h2, h3, h4, h5, h6, summary";
        const APART = "header, footer, nav, aside, dialog, details, [role=dialog]";
        const PARTS = "section, article, aside, nav, footer, details, dialog";
        const before = (form) => {
            for (let at = form; at; at = at.parentElement) {
                for (let one = at.previousElementSibling; one; one = one.previousElementSibling) {
                    if (one.matches("form") || one.querySelector("form")) return null;
                    if (one.matches(HEADINGS)) return one;
                    if (one.matches(PARTS)) continue;
                    const inner = [...one.querySelectorAll(HEADINGS)].pop();
                    if (inner) return inner;
                }
                if (at.parentElement?.matches(APART)) return null;
            }
            return null;
        };
        const following = (heading, form) => {
            const one = heading?.nextElementSibling;
            return one?.matches("p") && !one.contains(form) ? text(one) : "";
        };
        const control = (one) => ({
            name: attribute(one, "name"),
            id: attribute(one, "id"),
            type: one.type,
            label: [...one.labels ?? []].map((label) => own(label, one)).filter(Boolean).join(" ")
                || named(one),
            group: text(one.closest("fieldset")?.querySelector(":scope > legend"))
                || named(one.closest("[role=radiogroup], [role=group]") ?? one),
            placeholder: attribute(one, "placeholder").trim().slice(0, 200),
            value: ["checkbox", "radio", "text", "number", "range"].includes(one.type)
                ? attribute(one, "value").slice(0, 200) : "",
            autocomplete: attribute(one, "autocomplete").split(" ").pop(),
            required: one.required === true,
            tag: startOf(one),
        });
        const startOf = (node) => {
            const copy = node.cloneNode(false);
            for (const name of ["toolname", "tooldescription"]) copy.removeAttribute(name);
            return copy.outerHTML.slice(0, copy.outerHTML.indexOf(">") + 1);
        };
        globalThis.__webagentForms ??= new Map();
        const kept = globalThis.__webagentForms;
        for (const root of roots) {
            for (const form of root.querySelectorAll("form:not([method=dialog i])")) {
                if (kept.size >= MOST || [...kept.values()].includes(form)) continue;
                kept.set(kept.size, form);
            }
        }
        return [...kept].filter(([key]) => !globalThis.__webagentMarked?.has(key)).map(([key, form]) => {
            const inner = form.querySelector(HEADINGS);
            const legends = [...form.querySelectorAll("legend")];
            const heading = inner ?? before(form);
            const all = controlsOf(form);
            const button = all.find((one) => ["submit", "image"].includes(one.type));
            const controls = all.filter((one) =>
                !["fieldset", "button", "submit", "reset", "image", "hidden", "file", "output"]
                    .includes(one.type) && one.localName !== "object" && !one.disabled);
            // Without a button only what can be typed in is sent, by the key for it.
            const typed = controls.some((one) => one.localName !== "select"
                && !["checkbox", "radio", "range", "color"].includes(one.type));
            return {
                key,
                id: attribute(form, "id"),
                name: attribute(form, "name"),
                label: named(form),
                search: form.matches("[role=search]") || form.closest("search") !== null,
                method: attribute(form, "method").toLowerCase(),
                action: attribute(form, "action"),
                scripted: form.hasAttribute("onsubmit") || !form.hasAttribute("action"),
                legend: legends.length === 1 ? text(legends[0]) : "",
                heading: text(heading),
                inside: inner !== null,
                intro: following(heading, form),
                button: text(button) || attribute(button ?? form, "value")
                    || (button ? named(button) : ""),
                controls: button || typed ? controls.slice(0, 1000).map(control) : [],
                hidden: all.filter((one) => one.type === "hidden")
                    .map((one) => [one.name, one.value]).slice(0, 50),
                tag: startOf(form),
                autosubmit: form.hasAttribute("toolautosubmit"),
                toolname: attribute(form, "toolname"),
                tooldescription: attribute(form, "tooldescription"),
            };
        });
    }
"""
)
"""The forms that have not been marked, those of open shadow trees and same-origin frames too."""

EMPTY = (
    "(tool) => {"
    + _ROOTS
    + """
        const form = roots.flatMap((root) => [...root.querySelectorAll("form")])
            .find((one) => attribute(one, "toolname") === tool);
        const controls = form ? controlsOf(form).filter((one) => one.willValidate) : [];
        const unchecked = (one) => one.type === "radio"
            && !controls.some((other) => other.name === one.name && other.checked);
        const empty = controls.filter((one) => ["radio", "checkbox"].includes(one.type)
            ? unchecked(one) || one.validity.valueMissing : one.value === "");
        const button = controls.find((one) => ["submit", "image"].includes(one.type));
        const checked = form && !form.noValidate && !button?.formNoValidate;
        const needed = checked ? empty.filter((one) => !one.validity.valid) : [];
        const marked = (one) => one.required || attribute(one, "aria-required") === "true";
        const names = (some) => [...new Set(some.map((one) => attribute(one, "name")))];
        const held = names([...needed, ...empty.filter(marked)]);
        return {needed: names(needed), spare: names(empty).filter((name) => !held.includes(name))};
    }
"""
)
"""The names of the fields of a form tool that have no value: those it is not sent without, and others."""

MARK = """
    (marks) => {
        const marked = globalThis.__webagentMarked ??= new Set();
        for (const {key, name, description, controls} of marks) {
            marked.add(key);
            const form = globalThis.__webagentForms?.get(key);
            if (!form) continue;
            const all = [...Object.getOwnPropertyDescriptor(
                HTMLFormElement.prototype, "elements").get.call(form)];
            const free = all.filter((one) => !one.name && !["fieldset", "button", "submit", "reset",
                "image", "hidden", "file", "output"].includes(one.type)
                && one.localName !== "object" && !one.disabled);
            controls.forEach((given, index) => free[index]?.setAttribute("name", given));
            Element.prototype.setAttribute.call(form, "toolname", name);
            Element.prototype.setAttribute.call(form, "tooldescription", description);
        }
    }
"""
"""Makes tools of forms: `[{key, name, description, controls: names of those without one}]`."""

FUNCTIONS = r"""
    () => {
        const LIBRARY = new RegExp("^(?:on[a-z]+|gtag|fbq|clarity|require|define|importShim|jQuery|htmx"
            + "|webpack.*|parcel.*|turbopack.*|getAllAngular.*|getAngular.*|angular|axios|moment|dayjs"
            + "|hljs|marked|plausible|umami|mixpanel|posthog|grecaptcha|hcaptcha|turnstile|fathom"
            + "|n?p?gettext|gettext_noop|interpolate|pluralidx|quickElement|regeneratorRuntime)$");
        const assigned = [];
        const declared = [];
        for (const name of Object.getOwnPropertyNames(globalThis)) {
            if (globalThis.__webagentBefore?.has(name)) continue;
            if (!/^[a-z][A-Za-z0-9]{2,}$/.test(name) || LIBRARY.test(name)) continue;
            const property = Object.getOwnPropertyDescriptor(globalThis, name);
            const fn = property?.value;
            if (typeof fn !== "function") continue;
            const code = Function.prototype.toString.call(fn).slice(0, 20000);
            if (/\{\s*\[native code\]\s*\}$/.test(code) || code.startsWith("class")) continue;
            if (code.split("\n").some((line) => line.length > 500)) continue;
            (property.configurable ? assigned : declared).push({name, assigned: property.configurable});
        }
        return [...assigned, ...declared].slice(0, 300);
    }
"""
"""The functions that scripts have made global, each with `name` and `assigned`, as `globalThis.find = …` is.

Those come first. Minified code is a library.
"""

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
            return {name, code, params: given.filter((part) => part && !part.startsWith("...")).map(read)};
        });
    }
"""
"""The parameters of functions, as their source text has them."""

LINKS = """
    () => [...document.querySelectorAll("a[href]")].slice(0, 2000).map((link) => link.href)
"""

ACTIONS = """
    () => [...document.querySelectorAll("form[action]:not([method=dialog i])")].slice(0, 200).map((form) => {
        const attribute = (node, name) => Element.prototype.getAttribute.call(node, name) ?? "";
        const button = form.querySelector("button:not([type=button], [type=reset]), [type=submit], [type=image]");
        const action = button && attribute(button, "formaction") || attribute(form, "action");
        return {
            url: URL.parse(action, document.baseURI)?.href ?? "",
            sends: attribute(form, "method").toLowerCase() === "post",
            words: button ? `${button.textContent} ${attribute(button, "value")}` : "",
        };
    })
"""
"""Where the forms of the page lead."""

ABOUT = """
    () => ({
        title: document.title,
        description: document.querySelector("meta[name=description i]")?.content || "",
        heading: document.querySelector("h1")?.textContent || "",
        secure: isSecureContext,
    })
"""

COMMENTS = r"""
    async (names) => {
        const FOREIGN = /\/(?:node_modules|vendors?|third[-_]party|\.vite|@vite|@id|static\/admin)\/|\.min\.m?js/;
        const loaded = performance.getEntriesByType("resource").filter((one) =>
            one.initiatorType === "script" || /\.(?:m?[jt]sx?|vue|svelte|astro)(?:\?|$)/.test(one.name));
        const urls = new Set([...loaded.map((one) => one.name),
            ...[...document.scripts].map((one) => one.src)]);
        const own = [...urls].filter((url) => url.startsWith(location.origin + "/")
            && !FOREIGN.test(url)).slice(0, 50);
        const read = (url) => fetch(url).then((answer) => answer.ok ? answer.text() : "", () => "");
        const inline = [...document.scripts].filter((one) => !one.src).map((one) => one.text);
        const texts = [...inline, ...await Promise.all(own.map(read))].map((text) => text.slice(0, 5e6));
        // Remarks to tools, to the authors themselves, and code that is switched off describe nothing.
        const REMARK = /^(?:eslint|prettier|biome|jshint|@ts-|TODO|FIXME|#)|[;{}]$|^[^\p{L}]*$/u;
        const words = (comment) => comment.split("\n").map((line) => line.replace(/^\s*\/+/, "").trim())
            .filter((line) => !REMARK.test(line)).join("\n");
        const found = {};
        for (const name of names) {
            const whole = new RegExp(`(?<![\\w$])${name}(?![\\w$])`);
            if (texts.some(Boolean) && !texts.some((text) => whole.test(text))) continue;
            const made = "(?:export\\s+)?(?:default\\s+)?(?:(?:async\\s+)?function\\s+"
                + "|(?:const|let|var)\\s+|(?:global|globalThis|window|self)\\.)" + name + "\\b";
            const block = new RegExp("/\\*\\*((?:[^*]|\\*(?!/)){1,3000})\\*/\\s*" + made);
            const lines = new RegExp("^((?:[ \\t]*//.*\\r?\\n){1,40})[ \\t]*" + made, "m");
            const small = texts.filter((text) => text.length < 500000);
            const above = (pattern) => small.map((text) => pattern.exec(text)?.[1]).find(Boolean);
            found[name] = above(block) ?? words(above(lines) ?? "");
        }
        return found;
    }
"""
"""By the name of each function that scripts of the page's own origin mention, the comment before it."""

FOLLOW = """
    (url) => {
        const link = [...document.querySelectorAll("a[href]")].find((one) => one.href === url);
        link?.click();
        return link !== undefined;
    }
"""
"""Clicks the link to an address, if it is there."""
