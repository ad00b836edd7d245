/**
 * Markdown of the agent as nodes: no text becomes markup, and the time grows with the length of the text alone.
 *
 * Paragraphs, headings, lists, tables, quotes, code, emphasis and links; line breaks stay.
 */
import { h, type Child } from "../ui/elements.ts";
import { upTo } from "../ui/display_text.ts";
import { visible } from "../ui/text_parts.ts";

/** Lists and quotes in each other. */
const DEEPEST = 6;
/** Open brackets and emphasis in each other. */
const MOST_OPEN = 8;
const MOST_COLUMNS = 12;

const FENCE = /^ {0,3}(`{3,}|~{3,})[^`]*$/;
const HEADING = /^ {0,3}#{1,6}[ \t]+/;
const RULE = /^ {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( *)(?:[-*+]|(\d{1,9})[.)])[ \t]+(?=\S)/;

/** The blocks of a text. */
function markdown(text: string): HTMLElement[] {
  return blocks(visible(text).split("\n"), 0);
}

function blocks(lines: readonly string[], depth: number): HTMLElement[] {
  const made: HTMLElement[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] as string;
    const fence = FENCE.exec(line)?.[1];
    if (!line.trim()) at++;
    else if (fence) {
      let end = at + 1;
      while (end < lines.length && !closes(lines[end] as string, fence)) end++;
      made.push(h("pre", { dir: "auto" }, h("code", {}, lines.slice(at + 1, end).join("\n"))));
      at = end + 1;
    } else if (HEADING.test(line)) {
      made.push(h("p", { class: "heading" }, h("strong", {}, ...inline(line.replace(HEADING, "").trim()))));
      at++;
    } else if (RULE.test(line)) {
      made.push(h("hr"));
      at++;
    } else if (depth < DEEPEST && QUOTE.test(line)) {
      let end = at;
      while (end < lines.length && QUOTE.test(lines[end] as string)) end++;
      const inner = lines.slice(at, end).map((one) => one.replace(QUOTE, ""));
      made.push(h("blockquote", {}, ...blocks(inner, depth + 1)));
      at = end;
    } else if (depth < DEEPEST && ITEM.test(line)) {
      const end = endOfList(lines, at);
      made.push(list(lines.slice(at, end), depth));
      at = end;
    } else if (isTable(lines, at)) {
      let end = at + 2;
      while (end < lines.length && lines[end]?.includes("|")) end++;
      made.push(table(lines.slice(at, end)));
      at = end;
    } else {
      let end = at + 1;
      while (end < lines.length && lines[end]?.trim() && !begins(lines, end, depth)) end++;
      made.push(h("p", {}, ...inline(lines.slice(at, end).join("\n").trim())));
      at = end;
    }
  }
  return made;
}

/** Whether a line ends the block of code that a fence has opened. */
function closes(line: string, fence: string): boolean {
  const end = line.trim();
  return end.length >= fence.length && end === fence.charAt(0).repeat(end.length);
}

/** Whether a line begins a block, so that it does not continue a paragraph. */
function begins(lines: readonly string[], at: number, depth: number): boolean {
  const line = lines[at] as string;
  const inner = depth < DEEPEST && (QUOTE.test(line) || ITEM.test(line));
  return inner || FENCE.test(line) || HEADING.test(line) || RULE.test(line) || isTable(lines, at);
}

// Lists.

const indentOf = (line: string): number => line.length - line.trimStart().length;

/** The end of the list that begins with a line: other lists, and blocks that are not indented, end it. */
function endOfList(lines: readonly string[], start: number): number {
  const [, first = "", number] = ITEM.exec(lines[start] as string) ?? [];
  let afterBlank = false;
  let end = start + 1;
  for (let at = start + 1; at < lines.length; at++) {
    const line = lines[at] as string;
    if (!line.trim()) {
      afterBlank = true;
      continue;
    }
    const item = ITEM.exec(line);
    const isInner = indentOf(line) > first.length + 1;
    const isNext = item && (item[2] === undefined) === (number === undefined) && !RULE.test(line);
    if (!isInner && !isNext && (afterBlank || begins(lines, at, 0))) return end;
    afterBlank = false;
    end = at + 1;
  }
  return end;
}

function list(lines: readonly string[], depth: number): HTMLElement {
  const [, first = "", number] = ITEM.exec(lines[0] as string) ?? [];
  const items: string[][] = [];
  let room = 0;
  for (const line of lines) {
    const item = ITEM.exec(line);
    if (item && (item[1]?.length ?? 0) <= first.length + 1) {
      room = item[0].length;
      items.push([line.slice(room)]);
    } else {
      items.at(-1)?.push(line.slice(Math.min(room, indentOf(line))));
    }
  }
  const made = items.map((item) => {
    const [head, ...more] = blocks(item, depth + 1);
    // The text of an item is next to its sign.
    return h("li", {}, ...(head?.localName === "p" ? [...head.childNodes] : head ? [head] : []), ...more);
  });
  if (number === undefined) return h("ul", {}, ...made);
  return h("ol", { ...(number !== "1" && { start: String(Number(number)) }) }, ...made);
}

// Tables.

function isTable(lines: readonly string[], at: number): boolean {
  const next = lines[at + 1];
  if (!lines[at]?.includes("|") || !next?.includes("-") || /[^\s|:-]/.test(next)) return false;
  return cells(next).every((cell) => /^:?-+:?$/.test(cell));
}

function cells(line: string): string[] {
  const parts = line.trim().split("|").map((part) => part.trim());
  if (parts[0] === "") parts.shift();
  if (parts.at(-1) === "") parts.pop();
  return parts.slice(0, MOST_COLUMNS);
}

function table([head = "", signs = "", ...rows]: readonly string[]): HTMLElement {
  const isNumber = cells(signs).map((sign) => /^-+:$/.test(sign));
  const labels = cells(head.replace(/[*`]/g, ""));
  const row = (name: "th" | "td", line: string) =>
    h("tr", {}, ...cells(line).map((cell, place) => h(name, { class: isNumber[place] ? "number" : "", "data-label": labels[place] ?? "" }, ...inline(cell))));
  return fitted(h("table", {}, h("thead", {}, row("th", head)), h("tbody", {}, ...rows.map((line) => row("td", line)))));
}

/** A table whose rows become lists where its columns do not fit. */
export const fitted = (table: HTMLElement): HTMLElement => h("div", { class: "fitted" }, table);

// Text within a block.

/** An open bracket or emphasis, and the nodes after it. */
interface Open {
  sign: string;
  nodes: Child[];
  /** A link is in it, so that it cannot become one. */
  hasLink?: boolean;
}

const SIGN = /\\[!-/:-@[-`{-~]|`+|\*+|_+|!?\[|\]|<?https?:\/\/[^\s<>]+>?/g;
const TARGET = /\(\s{0,9}<?([^\s<>()]{0,2000}(?:\([^\s<>()]{0,500}\)[^\s<>()]{0,500}){0,3})>?(?:\s{1,9}(?:"[^"]{0,500}"|'[^']{0,500}'))?\s{0,9}\)/y;
const LETTER = /[\p{L}\p{N}]/u;

function inline(text: string): Child[] {
  const open: Open[] = [{ sign: "", nodes: [] }];
  const runs = backticks(text);
  const push = (...nodes: Child[]): void => {
    const { nodes: all } = open.at(-1) as Open;
    for (const node of nodes) {
      const last = all.at(-1);
      if (typeof node === "string" && typeof last === "string") all[all.length - 1] = last + node;
      else all.push(node);
    }
  };
  /** Close all that is open above a place, and put it there as it was written. */
  const fold = (place: number): void => {
    while (open.length > place + 1) {
      const { sign, nodes } = open.pop() as Open;
      push(sign, ...nodes);
    }
  };
  let at = 0;
  SIGN.lastIndex = 0;
  for (let match = SIGN.exec(text); match; match = SIGN.exec(text)) {
    const sign = match[0];
    if (match.index > at) push(text.slice(at, match.index));
    at = SIGN.lastIndex;
    if (sign.startsWith("\\")) push(sign.slice(1));
    else if (sign.startsWith("`")) {
      const end = runs.next(match.index, sign.length);
      if (end === undefined) push(sign);
      else {
        push(h("code", {}, text.slice(at, end)));
        at = end + sign.length;
      }
    } else if (sign.endsWith("[")) {
      if (open.length > MOST_OPEN) push(sign);
      else open.push({ sign, nodes: [] });
    } else if (sign === "]") {
      const place = open.findLastIndex((one) => one.sign.endsWith("["));
      TARGET.lastIndex = at;
      const target = place > 0 && !open[place]?.hasLink ? TARGET.exec(text) : null;
      if (target) {
        fold(place);
        const { nodes } = open.pop() as Open;
        push(...linkTo(target[1] ?? "", nodes));
        for (const one of open) one.hasLink = true;
        at = TARGET.lastIndex;
      } else {
        if (place > 0) fold(place - 1);
        push(sign);
      }
    } else if (/^<?h/.test(sign)) {
      // Signs at the end belong to the sentence.
      const address = sign.replace(/^<|>$/g, "").replace(/[.,;:!?'"*_`)\]]{1,20}$/, "");
      const start = sign.startsWith("<") && !sign.endsWith(">") ? "<" : "";
      at = match.index + (sign.endsWith(">") ? sign.length : start.length + address.length);
      push(start);
      if (open.some((one) => one.sign.endsWith("["))) push(address);
      else push(...linkTo(address, [address]));
    } else {
      emphasis(sign, text.charAt(match.index - 1), text.charAt(at), open, push, fold);
    }
    SIGN.lastIndex = at;
  }
  push(text.slice(at));
  fold(0);
  return open[0]?.nodes ?? [];
}

/** A run of `*` or `_`: it ends emphasis that is open, and its rest begins another one. */
function emphasis(sign: string, before: string, after: string, open: Open[], push: (...nodes: Child[]) => void, fold: (place: number) => void): void {
  const kind = sign.charAt(0);
  let left = sign.length;
  const isWord = (character: string) => kind === "_" && LETTER.test(character);
  if (before.trim() && !isWord(after)) {
    for (let size = Math.min(3, left); size > 0; size = Math.min(size, left)) {
      const place = open.findLastIndex((one) => one.sign === kind.repeat(size));
      if (place < 1) {
        size--;
        continue;
      }
      fold(place);
      const { nodes } = open.pop() as Open;
      push(size === 1 ? h("em", {}, ...nodes) : h("strong", {}, ...(size === 3 ? [h("em", {}, ...nodes)] : nodes)));
      left -= size;
    }
  }
  if (left === 0) return;
  if (left <= 3 && after.trim() && !isWord(before) && open.length <= MOST_OPEN) open.push({ sign: kind.repeat(left), nodes: [] });
  else push(kind.repeat(left));
}

/** The runs of backticks in a text; each length is walked through once. */
function backticks(text: string): { next(at: number, length: number): number | undefined } {
  const places = new Map<number, number[]>();
  for (const { 0: run, index } of text.matchAll(/`+/g)) {
    const known = places.get(run.length);
    if (known) known.push(index);
    else places.set(run.length, [index]);
  }
  for (const known of places.values()) known.reverse();
  return {
    next(at, length) {
      const known = places.get(length) ?? [];
      while (known.length > 0 && (known.at(-1) as number) <= at) known.pop();
      return known.at(-1);
    },
  };
}

// Links.

/** The address of a page of this site; null for any other. */
export function ownAddress(address: unknown): string | null {
  if (typeof address !== "string" || address === "") return null;
  try {
    const { protocol, origin, username, password, href } = new URL(address, document.baseURI);
    return /^https?:$/.test(protocol) && origin === location.origin && !username && !password ? href : null;
  } catch {
    return null;
  }
}

/** A link, which opens in this tab; one to another site is text, followed by its address. */
export function linkTo(address: string, content: Child[]): Child[] {
  const own = ownAddress(address);
  if (own) return [h("a", { href: own }, ...(content.length > 0 ? content : [address]))];
  if (content.length === 1 && content[0] === address) return content;
  return [...content, h("span", { class: "address" }, ` (${address})`)];
}

// A text that is still being written.

/** Characters that become blocks at once, and how long that may go on in a frame. */
const PART = 2000;
const MOST_MS = 8;
const MOST_IN_BOX = 30;

export class MarkdownText {
  #element: HTMLElement;
  #grow: (act: () => void) => void;
  #text = "";
  #ended = false;
  /** Characters that are shown as blocks. */
  #made = 0;
  /** The fence of the code, or the head of the table, that goes on. */
  #head = "";
  /** The blocks in boxes: a browser looks at all siblings of a new one. */
  #box = h("div");
  #tail = h("p");
  #frame = 0;

  /**
   * @param element Takes the blocks.
   * @param grow Takes each change that makes the element larger.
   */
  constructor(element: HTMLElement, grow: (act: () => void) => void) {
    this.#element = element;
    this.#grow = grow;
    element.replaceChildren(this.#tail);
  }

  /** Show a text; unless it has ended it is the beginning of the next one. */
  show(text: string, ended: boolean): void {
    if (ended && !text.startsWith(this.#text)) {
      this.#element.replaceChildren(this.#tail);
      this.#made = 0;
      this.#head = "";
    }
    this.#text = text;
    this.#ended = ended;
    if (!ended) this.#frame ||= requestAnimationFrame(this.#next);
    else {
      cancelAnimationFrame(this.#frame);
      this.#next();
    }
  }

  #next = (): void => {
    this.#frame = 0;
    const until = performance.now() + MOST_MS;
    const isBehind = () => this.#made < this.#text.length && (this.#ended || this.#text.length - this.#made > PART);
    do this.#grow(() => this.#part());
    while (isBehind() && performance.now() < until);
    if (isBehind()) this.#frame = requestAnimationFrame(this.#next);
  };

  #part(): void {
    const rest = this.#text.slice(this.#made, this.#made + PART);
    const isLast = this.#made + rest.length === this.#text.length;
    const { end, head } = isLast && this.#ended ? { end: rest.length, head: "" } : endOfBlocks(this.#head, rest, isLast);
    if (end > 0) {
      if (this.#box.childElementCount > MOST_IN_BOX || !this.#box.isConnected) this.#tail.before((this.#box = h("div")));
      this.#box.append(...markdown(this.#head + rest.slice(0, end)));
      this.#head = head;
      this.#made += end;
    }
    if (this.#ended && isLast) this.#tail.remove();
    else this.#tail.textContent = visible(rest.slice(end));
  }
}

/**
 * Where the blocks of a text end that nothing more will change, and the lines that the rest goes on from.
 *
 * @param head The fence, or the head of the table, that the text goes on from.
 * @param isLast Whether all of the text is here; otherwise a block is cut if it has to be.
 */
function endOfBlocks(head: string, text: string, isLast: boolean): { end: number; head: string } {
  const whole = head + text;
  let fence = "";
  let found = 0;
  let lastLine = 0;
  for (let lineEnd = whole.indexOf("\n"); lineEnd >= 0; lineEnd = whole.indexOf("\n", lastLine)) {
    const line = whole.slice(lastLine, lineEnd);
    const closed = fence !== "" && closes(line, fence);
    fence = closed ? "" : fence || (FENCE.exec(line)?.[1] ?? "");
    lastLine = lineEnd + 1;
    if (closed || (!fence && !line.trim())) found = lastLine;
  }
  if (found > head.length) return { end: found - head.length, head: "" };
  if (isLast) return { end: 0, head };
  const end = lastLine > head.length ? lastLine - head.length : text.lastIndexOf(" ") + 1 || upTo(text, text.length - 1).length;
  const first = whole.split("\n", 2);
  return { end, head: fence ? `${fence}\n` : isTable(first, 0) ? `${first.join("\n")}\n` : "" };
}
