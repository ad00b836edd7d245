/** Shows data of a run: arguments, results, programs. */
import { button, h } from "../ui/elements.ts";
import { upTo } from "../ui/display_text.ts";
import { visible } from "../ui/text_parts.ts";
import { fill, type Texts } from "./panel_texts.ts";
import { marked, textView, type Scrolls } from "./text_view.ts";

/** Characters of a step's value that are shown at first. */
const SHOWN = 800;
/** Characters of a value within a line. */
const BRIEF = 60;
/** Members that an object or a list has when their number is stated. */
const MANY = 10;
/** Members of a value that are shown as lists; a larger value is shown as JSON. */
const MOST_MEMBERS = 300;
/** Lists in lists. */
const MOST_DEPTH = 6;

/** A value as text: strings unquoted, everything else as JSON. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  try {
    return JSON.stringify(value, null, 2) ?? "";
  } catch {
    return String(value);
  }
}

/** A value in a line: `"tolkien"`, `[…]`. */
export function brief(value: unknown): string {
  let text: string;
  try {
    text = JSON.stringify(value) ?? "";
  } catch {
    text = String(value);
  }
  return text.length > BRIEF ? `${visible(upTo(text, BRIEF))}…` : visible(text);
}

/** A value as a block of text; a long one is cut until it is unfolded. */
export function block(value: unknown, texts: Texts): HTMLElement {
  const text = textOf(value);
  if (text.length <= SHOWN) return h("pre", { dir: "auto" }, ...marked(text, texts));
  const made = h("div", {}, h("pre", { dir: "auto" }, ...marked(upTo(text, SHOWN), texts), "…"));
  made.append(button("link", texts.show_all, () => made.replaceChildren(textView(text, texts))));
  return made;
}

/** A list of names and values. */
export function pairs(values: Record<string, unknown>, texts: Texts): HTMLElement {
  const list = h("dl");
  for (const [name, value] of Object.entries(values)) {
    list.append(h("dt", {}, ...marked(name, texts)), h("dd", {}, block(value, texts)));
  }
  return list;
}

/**
 * The whole of a value, with nothing left out.
 *
 * @param name Of the value, for screen readers.
 * @param scrolls Called with each part of it that scrolls.
 */
export function wholeValue(value: unknown, texts: Texts, name: string, scrolls: Scrolls): HTMLElement {
  if (typeof value === "string") return textView(value, texts, name, scrolls);
  if (typeof value !== "object" || value === null) return h("code", {}, String(value));
  if (isSmall(value)) return members(value, texts, name, scrolls);
  return h("div", { class: "sized" }, size(Object.keys(value).length, texts), textView(textOf(value), texts, name, scrolls));
}

function members(value: object, texts: Texts, name: string, scrolls: Scrolls): HTMLElement {
  const entries = Object.entries(value);
  if (entries.length === 0) return h("code", {}, Array.isArray(value) ? "[]" : "{}");
  const shown = (inner: unknown, at: string) => wholeValue(inner, texts, `${name} ${at}`, scrolls);
  const list = Array.isArray(value)
    ? h("ol", { class: "members" }, ...entries.map(([, inner], place) => h("li", {}, shown(inner, String(place + 1)))))
    : h("dl", { class: "members" });
  if (!Array.isArray(value)) {
    for (const [key, inner] of entries) list.append(h("dt", {}, ...marked(key, texts)), h("dd", {}, shown(inner, key)));
  }
  if (entries.length < MANY) return list;
  return h("div", { class: "sized" }, size(entries.length, texts), list);
}

function size(count: number, texts: Texts): HTMLElement {
  return h("span", { class: "size" }, fill(texts.items, { count }));
}

/** Whether a value has few enough members for lists. */
function isSmall(value: object): boolean {
  let left = MOST_MEMBERS;
  const fits = (inner: unknown, depth: number): boolean => {
    if (--left < 0 || depth > MOST_DEPTH) return false;
    return typeof inner !== "object" || inner === null || Object.values(inner).every((each) => fits(each, depth + 1));
  };
  return fits(value, 0);
}
