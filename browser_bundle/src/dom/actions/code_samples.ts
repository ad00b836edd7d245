/** Finds code samples: their text, their language, the heading above them. */
import { HIDDEN, isMasked } from "../../base/agent_access.ts";
import { wordsOf } from "../read/accessible_names.ts";
import {
  all, attr, everywhere, is, isElement, isInside, nearest, renderedChildren, rootOf, styleOf, tagOf, textOf,
  typeOf, valueOfText,
} from "../read/nodes.ts";
import { checkedSelector, type PageState } from "../read/page_state.ts";
import { line, lines, plain } from "../read/page_text.ts";
import { isShown } from "../read/visibility.ts";

const MOST_BLOCKS = 50;
const MOST_CHARS = 20_000;

interface Code {
  title: string;
  language: string;
  code: string;
}

/** The samples whose heading contains a text, or that match a selector; all without either. */
export function findCode(page: PageState, { title, selector }: { title?: string; selector?: string }): Code[] {
  const found = everywhere(page.top, selector ? checkedSelector(page.top, selector) : "pre,code,samp,textarea[class*=code i]");
  const blocks = found.filter(
    (block) =>
      (selector || tagOf(block) !== "code" || isBlock(block)) &&
      !found.some((other) => other !== block && isInside(block, other)) &&
      isShown(block),
  );
  const codes = blocks.map((block) => ({ title: titleOf(block), language: languageOf(block), code: codeOf(block) }));
  const wanted = plain(title ?? "");
  return codes.filter((code) => code.code.trim() !== "" && plain(code.title).includes(wanted)).slice(0, MOST_BLOCKS);
}

/** Whether code outside of `<pre>` is a block of its own. */
function isBlock(code: Element): boolean {
  return !nearest(code, "p,li,td,dd,a,h1,h2,h3,h4,h5,h6") && (textOf(code) ?? "").includes("\n");
}

function codeOf(block: Element): string {
  if (isMasked(block)) return HIDDEN;
  if (tagOf(block) === "textarea") return lines((block as HTMLTextAreaElement).value, MOST_CHARS);
  const read = new CodeReader();
  read.inside(block, 0);
  return lines(read.text, MOST_CHARS).replace(/^\n+/, "").trimEnd();
}

/** Parts of a sample that are not code: copy buttons and line numbers. */
const EXTRAS = "button,[aria-hidden=true],.line-number,.lineno,.line-numbers-rows";

class CodeReader {
  text = "";
  #left = 20_000;

  inside(element: Element, depth: number): void {
    for (const child of renderedChildren(element)) {
      this.#left -= 1;
      if (this.#left < 0 || this.text.length > MOST_CHARS || depth > 50) return;
      if (typeOf(child) === 3) this.text += valueOfText(child);
      else if (isElement(child)) this.#element(child, depth);
    }
  }

  #element(element: Element, depth: number): void {
    if (tagOf(element) === "br") this.text += "\n";
    const display = styleOf(element)?.display ?? "none";
    if (display === "none" || is(element, EXTRAS)) return;
    const isLine = !display.startsWith("inline") && display !== "contents";
    if (isLine) this.#break();
    this.inside(element, depth + 1);
    if (isLine) this.#break();
  }

  #break(): void {
    if (this.text && !this.text.endsWith("\n")) this.text += "\n";
  }
}

const LANGUAGE = /(?:^|\s)(?:language-|lang-|highlight-source-|highlight-|brush:\s?|hljs\s+)([a-z][a-z0-9+#_-]{0,20})/i;

function languageOf(block: Element): string {
  const inner = all(block, "code")[0];
  for (let at: Element | null = inner ?? block, steps = 0; at && steps < 4; at = at.parentElement, steps += 1) {
    const named =
      attr(at, "data-lang") ?? attr(at, "data-language") ?? LANGUAGE.exec(attr(at, "class")?.slice(0, 500) ?? "")?.[1];
    if (named) return named.toLowerCase();
  }
  return "";
}

/** The caption of the figure, else the heading before the block. */
function titleOf(block: Element): string {
  const caption = nearest(block, "figure")?.querySelector("figcaption");
  if (caption) return wordsOf(caption);
  const label = isMasked(block) ? null : (attr(block, "title") ?? attr(block, "data-title") ?? attr(block, "aria-label"));
  if (label) return line(label);
  let last: Element | null = null;
  for (const heading of all(rootOf(block), "h1,h2,h3,h4,h5,h6,[role=heading],summary")) {
    if (!(heading.compareDocumentPosition(block) & Node.DOCUMENT_POSITION_FOLLOWING)) break;
    last = heading;
  }
  return last ? wordsOf(last) : "";
}
