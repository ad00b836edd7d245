/** Shows texts and data of a run as what they are: what would be invisible is marked, and all of it can be reached. */
import type { Lookalike } from "../ui/confusables.ts";
import { upTo } from "../ui/display_text.ts";
import { button, h } from "../ui/elements.ts";
import { codeOf, named, partsOf, visible, type Part } from "../ui/text_parts.ts";
import { currentTranslation, fill, type Texts } from "./panel_texts.ts";

// Data.

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

// Texts.

/** Characters from which on a text has a region of its own that scrolls. */
const LONG = 1000;
/** Characters of a block; blocks are filled when they come near, so that a huge text costs nothing. */
const BLOCK = 10_000;

/** Receives each element that scrolls and has to be read to its end. */
export type Scrolls = (element: HTMLElement) => void;

/** A text for a line or a paragraph, with what would be invisible marked. */
export function marked(text: string, texts: Texts): (Node | string)[] {
  return partsOf(text).map((part) => (typeof part === "string" ? part : mark(part, texts)));
}

/** The same, with code between backticks; with an odd number of them nothing is code. */
export function markedWords(text: string, texts: Texts): (Node | string)[] {
  const parts = text.split("`");
  if (parts.length % 2 === 0) return marked(text, texts);
  return parts.flatMap((part, i) => (i % 2 ? h("code", {}, ...marked(part, texts)) : marked(part, texts)));
}

/** A text as a block, in a region that scrolls if it is long. */
function textView(text: string, texts: Texts, name = "", scrolls: Scrolls = () => {}): HTMLElement {
  if (text === "") return h("span", { class: "quiet" }, texts.empty_text);
  if (text.length <= LONG) return h("pre", { dir: "auto" }, ...marked(text, texts));
  const size = fill(texts.characters, { count: text.length });
  const region = h("div", { class: "long", role: "group", tabindex: "0", "aria-label": name ? `${name}, ${size}` : size });
  const pieces = new Map(blocks(text).map((piece) => [h("pre", { class: "waiting", dir: "auto" }), piece]));
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (!isIntersecting) continue;
        observer.unobserve(target);
        target.replaceChildren(...marked(pieces.get(target as HTMLPreElement) ?? "", texts));
        target.removeAttribute("class");
      }
    },
    { root: region, rootMargin: "100% 0px" },
  );
  for (const block of pieces.keys()) observer.observe(block);
  region.append(...pieces.keys());
  scrolls(region);
  return h("div", { class: "sized" }, h("span", { class: "size" }, size), region);
}

/** A text in blocks that end after a line where there is one, and never within a character. */
function blocks(text: string): string[] {
  const found: string[] = [];
  for (let at = 0; at < text.length; ) {
    let piece = text.slice(at, at + BLOCK);
    const lineEnd = piece.lastIndexOf("\n") + 1;
    if (at + BLOCK < text.length && lineEnd > BLOCK / 2) piece = piece.slice(0, lineEnd);
    if (/[\ud800-\udbff]$/.test(piece)) piece += text.charAt(at + piece.length);
    found.push(piece);
    at += piece.length;
  }
  return found;
}

function mark(part: Exclude<Part, string>, texts: Texts): HTMLElement {
  if (part.kind === "hidden") return h("span", { class: "mark", title: texts.hidden_character }, named(part.text));
  if (part.kind === "lookalike") {
    return h("span", { class: "mark", title: lookalikeText(part.letter, texts) }, part.letter.letter);
  }
  return h("span", { class: "mark" }, fill(texts[part.kind], { count: part.count }));
}

/** ``letter 2 is Cyrillic `а` (U+0430)`` */
export function lookalikeText({ word, place, letter, script }: Lookalike, texts: Texts): string {
  const name = String(new Intl.DisplayNames(currentTranslation().locale, { type: "script" }).of(script));
  return fill(texts.lookalike, { word, place, letter, script: name, code: `U+${codeOf(letter)}` });
}
