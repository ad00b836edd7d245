/** Shows the result of a call: its value or error, its logs, and how long it took. */
import type { Result } from "../base/results.ts";
import { brief, counted, duration, inLine } from "../ui/display_text.ts";
import { button, h, words } from "../ui/elements.ts";
import { Tabs } from "../ui/tabs.ts";
import { chip, code, copyButton, fault, keep, kept, longText } from "../ui/widgets.ts";
import { ApiError } from "./api_client.ts";

/** Characters of JSON that are shown at first. */
const SHOWN = 20_000;

/** The chosen form of values, for all tools. */
let form = kept("value", 0);

export function resultView(result: Result): HTMLElement {
  const { duration_ms, logs, calls } = result;
  return h(
    "div",
    { class: "result" },
    h(
      "p",
      { class: "verdict" },
      chip(result.ok ? "ok" : "failed", result.ok ? "good" : "bad"),
      h("span", { class: "quiet" }, duration(duration_ms)),
    ),
    result.ok ? valueView(result.value) : fault(result.error),
    logs?.length > 0 &&
      h(
        "section",
        {},
        h("h4", {}, "Printed"),
        h("ol", { class: "logs" }, ...logs.slice(0, 500).map(({ level, text }) =>
          h("li", { class: brief(level, 10) }, chip(brief(level, 10)), longText(String(text), 2000, "span")),
        )),
      ),
    // The call itself is known; the calls of a program are shown.
    calls?.length > 1 &&
      h(
        "section",
        {},
        h("h4", {}, "Calls that it made"),
        h("ol", {}, ...calls.slice(0, 200).map(({ name }) => h("li", {}, h("code", {}, brief(name, 200))))),
      ),
  );
}

/** A value as a tree or as JSON. */
export function valueView(value: unknown): HTMLElement {
  const json = () => JSON.stringify(value, null, 2) ?? "undefined";
  const tabs = new Tabs(
    "Form of the value",
    [
      { label: "Tree", content: () => valueTree(value) },
      { label: "JSON", content: () => longText(json(), SHOWN, "code") },
    ],
    form,
    (place) => keep("value", (form = place)),
    copyButton(json, "Copy JSON"),
  );
  return tabs.element;
}

/** Entries that are shown at once. */
const AT_ONCE = 100;
/** Up to this many entries, a value is unfolded from the start. */
const UNFOLDED = 30;

function valueTree(value: unknown): HTMLElement {
  return h("div", { class: "tree" }, node("", value, 0));
}

function node(label: string, value: unknown, level: number): HTMLElement {
  const { kind, text, inside, whole } = displayValue(value);
  const name = label !== "" && h("span", { class: "label" }, code(label, 120), ": ");
  const line = [name, h("span", { class: `value ${kind}`, dir: "auto" }, text)];
  if (!inside) {
    return whole === undefined ? h("div", { class: "leaf" }, ...line) : unfoldingLine(line, () => [longText(whole, 5000, "pre")], false);
  }
  // The line of a value with entries says how many there are.
  line.push(h("span", { class: "said" }, inside.said));
  const children = () => [list(inside.entries()[Symbol.iterator](), level + 1, inside.count)];
  return unfoldingLine(line, children, level < 2 && inside.count <= UNFOLDED);
}

/** A line that unfolds; its content is made when it is opened. */
function unfoldingLine(line: (HTMLElement | false)[], content: () => Node[], open: boolean): HTMLElement {
  const made = h("details", {}, h("summary", {}, ...line));
  const fill = () => made.childElementCount === 1 && made.append(...content());
  made.addEventListener("toggle", () => made.open && fill());
  if (open) {
    made.open = true;
    fill();
  }
  return made;
}

function list(entries: Iterator<[string, unknown]>, level: number, count: number): HTMLElement {
  const made = h("ul");
  let done = 0;
  const add = () => {
    for (let n = 0; n < AT_ONCE; n++, done++) {
      const next = entries.next();
      if (next.done) return;
      made.append(h("li", {}, node(next.value[0], next.value[1], level)));
    }
    if (done >= count) return;
    const more = h("li", {}, button("link", `show more (${counted(count - done, "entry").replace("entrys", "entries")})`, () => {
      more.remove();
      add();
    }));
    made.append(more);
  };
  add();
  return made;
}

interface DisplayValue {
  /** Chooses the colour: `string`, `number`, `word`, `tag`, `object`. */
  kind: "string" | "number" | "word" | "tag" | "object";
  text: string;
  /** Its entries by label, and their number in words; undefined for a value without entries. */
  inside?: { count: number; said: string; entries: () => Iterable<[label: string, value: unknown]> };
  /** The whole text, if the line has only its beginning. */
  whole?: string;
}

/** Most characters of a line. */
const LINE = 120;

export function displayValue(value: unknown): DisplayValue {
  if (typeof value === "string") {
    const text = inLine(value, LINE);
    return { kind: "string", text, ...(value.length + 2 > LINE && { whole: value }) };
  }
  if (typeof value === "number") return { kind: "number", text: String(value) };
  if (typeof value !== "object" || value === null) return { kind: "word", text: String(value) };
  if (Array.isArray(value)) return several(value, counted(value.length, "item"), () => value.entries());
  if (Object.hasOwn(value, "$type")) return tagged(value as { $type: unknown; value?: unknown });
  return several(value, "", () => Object.entries(value));
}

/** A value that JSON cannot hold, encoded as `{"$type": …, "value": …}`. */
function tagged({ $type, value }: { $type: unknown; value?: unknown }): DisplayValue {
  const tag = (text: string): DisplayValue => ({ kind: "tag", text });
  switch ($type) {
    case "undefined":
      return { kind: "word", text: "undefined" };
    case "bigint":
      return { kind: "number", text: `${inLine(String(value), LINE).slice(1, -1)}n` };
    case "number":
      return { kind: "number", text: inLine(String(value), LINE).slice(1, -1) };
    case "date":
      return tag(value === null ? "Date (invalid)" : `Date ${inLine(value, LINE)}`);
    case "object":
      if (typeof value === "object" && value !== null) return several(value, "", () => Object.entries(value));
      break;
    case "map":
      if (Array.isArray(value)) {
        const pairs = value.filter((pair): pair is unknown[] => Array.isArray(pair));
        const entries = () => pairs.map(([key, inner]): [string, unknown] => [inLine(key, LINE), inner]);
        return several(pairs, `Map, ${counted(pairs.length, "entry").replace("entrys", "entries")}`, entries);
      }
      break;
    case "set":
      if (Array.isArray(value)) return several(value, `Set, ${counted(value.length, "item")}`, () => value.entries());
      break;
    case "binary": {
      const text = String(value);
      const bytes = Math.floor((text.length * 3) / 4) - (/=*$/.exec(text)?.[0].length ?? 0);
      return { kind: "tag", text: `bytes, ${counted(bytes, "byte")}`, whole: text };
    }
    case "error": {
      const { name, message } = (value ?? {}) as { name?: unknown; message?: unknown };
      return tag(`${inLine(String(name), LINE).slice(1, -1)}: ${inLine(String(message), LINE).slice(1, -1)}`);
    }
    case "circular":
      return tag(`the object ${counted(Number(value), "level")} above`);
    case "function":
    case "symbol":
    case "regexp":
    case "element":
    case "opaque":
      return tag(`${$type} ${inLine(String(value), LINE).slice(1, -1)}`);
  }
  return several({ $type, value }, "", () => Object.entries({ $type, value }));
}

function several(value: object, text: string, entries: () => Iterable<[string | number, unknown]>): DisplayValue {
  const count = Array.isArray(value) ? value.length : Object.keys(value).length;
  const brief = inLine(value, LINE);
  return {
    kind: "object",
    text: text && count > 0 ? `${text} ${brief}` : text || brief,
    ...(count > 0 && {
      inside: {
        count,
        said: text || counted(count, "member"),
        *entries(): Iterable<[string, unknown]> {
          for (const [label, inner] of entries()) yield [String(label), inner];
        },
      },
    }),
  };
}

/** A notice about a failed request. */
export function failureNotice(thrown: unknown): HTMLElement {
  if (thrown instanceof ApiError) return fault(thrown);
  if (thrown instanceof DOMException && thrown.name === "AbortError") {
    return h("p", { class: "quiet" }, "Stopped. What was done before is not undone.");
  }
  return h("p", { class: "wrong" }, ...words(String(thrown)));
}
