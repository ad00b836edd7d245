/** Shows a text as what it is: what would be invisible is marked, and all of it can be reached. */
import { h } from "../ui/elements.ts";
import { codeOf, named, partsOf, type Part } from "../ui/text_parts.ts";
import type { Lookalike } from "../ui/confusables.ts";
import { fill, textsLanguage, type Texts } from "./panel_texts.ts";

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
export function textView(text: string, texts: Texts, name = "", scrolls: Scrolls = () => {}): HTMLElement {
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
  const name = String(new Intl.DisplayNames(textsLanguage().locale, { type: "script" }).of(script));
  return fill(texts.lookalike, { word, place, letter, script: name, code: `U+${codeOf(letter)}` });
}
