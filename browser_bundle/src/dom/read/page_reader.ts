/** Reads a page as a person sees it: one pass over what is shown, elements and text together. */
import { accessOf, HIDDEN, IGNORE, isIgnored, MASK, ownAccess } from "../../base/agent_access.ts";
import { labelOf, nameOf } from "./accessible_names.ts";
import { hearsClicks, isWidget, LANDMARKS, levelOf, roleOf, usableIn } from "./aria_roles.ts";
import { describe, type ElementNumbers } from "./element_info.ts";
import { LineWriter, type Line } from "./line_writer.ts";
import {
  all, attr, bodyOf, dataOf, documentIn, firstElementOf, has, is, isVisible, nearest, nextElementOf, parentOf, rectOf,
  renderedParent, shownChildren, styleOf, tagOf, textOf, topOf, typeOf,
} from "./nodes.ts";
import { line, plain, quoted } from "./page_text.ts";
import type { ElementInfo } from "./protocol.ts";
import { hasSize, isBox, isHidden, isInvisible, isShown, modalOf } from "./visibility.ts";

/** An element of the snapshot. */
export interface Entry {
  element: Element;
  info: ElementInfo;
  /** Its box in the window that shows it. */
  rect: DOMRect;
}

export interface View {
  entries: Entry[];
  lines: Line[];
  /** The open modal dialog; nothing else can be used. */
  modal: Element | null;
  truncated: boolean;
}

/** Limits: nodes that are visited, elements that are listed, characters that are written. */
const MOST_NODES = 200_000;
const MOST_ENTRIES = 10_000;
const MOST_CHARS = 200_000;

/** Elements that show nothing; `webagent-…` are our own. */
const SKIPPED =
  /^(script|style|template|noscript|head|link|meta|title|base|option|optgroup|datalist|source|track|param|map|webagent-.*)$/;
const INNER = /^(input|select|textarea|img|svg|canvas|video|audio|object|embed|progress|meter|math)$/;

/** Items whose heading is their title. */
const CARD = /^(li|article)$/;
/** Most characters of a title that `…` would hardly shorten. */
const SHORTEST_TITLE = 5;

/** Parts of a page that are rarely its main content. */
const SIDES = /^(navigation|complementary|contentinfo)$/;

/** A position of the reader: an open element and its remaining children. */
interface Place {
  inside: readonly Node[];
  next: number;
  leave: (() => void) | null;
  /** Whether its own text is shown, is part of the mark of an element around it, or is invisible. */
  shown: boolean;
  silent: boolean;
  ghost: boolean;
  usable: boolean;
  pointer: boolean;
  keepsLines: boolean;
  list: number;
  frame: number | undefined;
  /** Number of the navigation, sidebar or footer around it; 0 for none. */
  side: number;
  /** Number of the next item of an ordered list. */
  item: number;
  /** The item of a list or the article around it, with its heading. */
  card: { title: string };
  /** The restrictions for agents here. */
  closed: number;
}

/** @param roots The document, and the shadow trees and frames in it. */
export function read(top: Document, roots: readonly (Document | ShadowRoot)[], numbers: ElementNumbers): View {
  return new PageReader(numbers).read(top, modalOf(top, roots));
}

class PageReader {
  readonly #entries: Entry[] = [];
  readonly #writer = new LineWriter(MOST_CHARS);
  readonly #numbers: ElementNumbers;
  #places: Place[] = [];
  #nodes = 0;
  #cut = false;

  constructor(numbers: ElementNumbers) {
    this.#numbers = numbers;
  }

  read(top: Document, modal: Element | null): View {
    if (modal) {
      this.#writer.text("(a dialog is open: what is behind it cannot be used)");
      this.#writer.block();
    }
    const start = modal ?? bodyOf(top) ?? topOf(top);
    if (start) {
      this.#places = [
        {
          inside: [start],
          next: 0,
          leave: null,
          shown: true,
          silent: false,
          ghost: false,
          usable: false,
          pointer: false,
          keepsLines: false,
          list: 0,
          frame: undefined,
          side: 0,
          item: 1,
          card: { title: "" },
          closed: accessOf(start),
        },
      ];
      this.#run();
    }
    const lines = this.#writer.finish();
    return { entries: this.#entries, lines, modal, truncated: this.#cut || this.#writer.full };
  }

  #run(): void {
    for (let place = this.#places.at(-1); place; place = this.#places.at(-1)) {
      const node = place.inside[place.next];
      place.next += 1;
      if (!node) {
        this.#places.pop();
        place.leave?.();
        continue;
      }
      this.#nodes += 1;
      if (this.#nodes > MOST_NODES || this.#entries.length >= MOST_ENTRIES) {
        this.#cut = true;
        return;
      }
      this.#writer.side = place.side;
      const type = typeOf(node);
      if (type === 3) this.#text(node, place);
      else if (type === 1) this.#readElement(node as Element, place);
    }
  }

  #text(node: Node, place: Place): void {
    if (place.silent || place.ghost || !place.shown) return;
    const text = dataOf(node);
    if (place.closed & MASK && text.trim()) this.#writer.text(` ${HIDDEN} `);
    else if (place.keepsLines) this.#writer.rows(text);
    else this.#writer.text(text);
  }

  #readElement(element: Element, around: Place): void {
    const tag = tagOf(element);
    const closed = around.closed | ownAccess(element);
    if (SKIPPED.test(tag) || closed & IGNORE) return;
    const style = styleOf(element);
    if (!style || isHidden(element, style)) return;
    const ghost = around.ghost || isInvisible(element, style);
    const shown = style.visibility === "visible";
    const place: Place = {
      ...around,
      next: 0,
      leave: null,
      inside: [],
      ghost,
      shown,
      pointer: style.cursor === "pointer",
      keepsLines: style.whiteSpaceCollapse
        ? /^(preserve|break-spaces|preserve-breaks)$/.test(style.whiteSpaceCollapse)
        : style.whiteSpace.startsWith("pre"),
      item: 1,
      closed,
    };
    const role = this.#roleHere(element, tag, style, around);
    const quiet = ghost || !shown;
    if (!quiet && !around.silent) this.#open(element, tag, style, role, place);
    const rect = role ? rectOf(element) : undefined;
    if (rect && (quiet ? ghost && isField(element, tag) && isReachable(element) : isBox(rect) || hasSize(element))) {
      this.#writeElement(element, tag, role, rect, place, quiet);
    } else if (!quiet && !around.silent) this.#plain(element, tag, role, closed);
    if (CARD.test(tag)) place.card = { title: "" };
    if (tag === "label" && !quiet) place.silent ||= isNameOfField(element);
    const inner = tag === "iframe" && hasSize(element) ? this.#frame(element) : undefined;
    if (inner) place.frame = this.#numbers.of(element);
    place.inside = inner ?? (INNER.test(tag) ? [] : shownChildren(element));
    this.#places.push(place);
  }

  /** The role if the element is to be listed, else empty. */
  #roleHere(element: Element, tag: string, style: CSSStyleDeclaration, around: Place): string {
    const role = roleOf(element);
    if (isWidget(role)) return role === "option" && tag === "option" ? "" : role;
    if (role === "heading" || LANDMARKS.has(role) || role === "iframe") return role;
    if (around.usable || tag === "body" || tag === "html" || tag === "label") return "";
    const tabs = attr(element, "tabindex");
    // A scrollable box is focusable only for the keyboard.
    const focusable = tabs !== null && (Number(tabs) >= 0 || isReachedByArrows(element, tag)) && !/auto|scroll/.test(style.overflow);
    const clickable = (style.cursor === "pointer" && !around.pointer) || focusable || hearsClicks(element);
    // A component may keep a link that only its script clicks.
    const holds = clickable && usableIn(element).some((inner) => hasSize(inner) && !nearest(inner, "[inert]"));
    return clickable && !holds ? "clickable" : "";
  }

  /** Starts the line, row or cell of the element's box. */
  #open(element: Element, tag: string, style: CSSStyleDeclaration, role: string, place: Place): void {
    const writer = this.#writer;
    const { display } = style;
    if (tag === "br") return writer.block();
    if (role === "heading") {
      writer.block();
      writer.heading(levelOf(element));
      place.leave = () => writer.block();
    } else if (tag === "li" || attr(element, "role") === "listitem") {
      const parent = this.#places.at(-1) as Place;
      const depth = Math.max(0, Math.min(place.list, 8) - 1);
      const sign = tagOf(element.parentElement ?? element) === "ol" ? `${parent.item}.` : "-";
      parent.item += 1;
      writer.item(`${"  ".repeat(depth)}${sign} `);
      place.leave = () => writer.endItem();
    } else if (/^(ul|ol|menu)$/.test(tag)) {
      place.list += 1;
      writer.block();
      place.leave = () => writer.block();
    } else if ((tag === "tr" || attr(element, "role") === "row") && isDataRow(element)) {
      writer.row();
      place.leave = () => writer.endRow();
    } else if (
      display === "table-cell" ||
      /^t[dh]$/.test(tag) ||
      /^(grid)?cell$|^(row|column)header$/.test(attr(element, "role") ?? "")
    ) {
      writer.cell();
    } else if (!display.startsWith("inline") && display !== "contents") {
      writer.block();
      place.leave = () => writer.block();
    }
  }

  /** Lists an element, and marks its place in the text. */
  #writeElement(element: Element, tag: string, role: string, rect: DOMRect, place: Place, quiet: boolean): void {
    const name = nameOf(element, role);
    const id = this.#numbers.of(element);
    const info = describe(element, role, name.text, id, rect, place.frame);
    this.#entries.push({ element, info, rect });
    const writer = this.#writer;
    if (role === "heading") {
      place.card.title = name.text;
      if (place.silent) writer.heading(levelOf(element));
      if (!quiet) writer.note(id);
      return;
    }
    if (SIDES.test(role)) place.side = writer.side = id;
    if (LANDMARKS.has(role) || role === "iframe") {
      // The heading of the region has the same name.
      if (has(element, "aria-labelledby") && !/dialog|frame/.test(role)) return writer.note(id);
      writer.block();
      writer.mark(id, markOf(info, tag), "");
      return writer.block();
    }
    place.usable = true;
    if (role === "link" && isPictureOfNext(element, name.text)) {
      place.silent = true;
      return writer.note(id);
    }
    writer.mark(id, markOf(info, tag, place.card.title), `${info.name} `);
    if (name.isContent || this.#isListed(element, name.text, role, tag)) place.silent = true;
  }

  /** Whether the content of an element is its name. */
  #isListed(element: Element, name: string, role: string, tag: string): boolean {
    if (INNER.test(tag) || role === "textbox" || role === "combobox") return true;
    const tight = (text: string): string => plain(text).replaceAll(" ", "");
    return tight(name).includes(tight((element as HTMLElement).innerText ?? "").slice(0, 1000));
  }

  /** Writes an element that has no number but some text, such as an image. */
  #plain(element: Element, tag: string, role: string, closed: number): void {
    const seen = (text: string | null): string => (closed & MASK ? HIDDEN : line(text));
    if (tag === "img" || tag === "svg" || role === "img") {
      const name = nameOf(element, "img").text;
      if (name && hasSize(element)) this.#writer.text(` (picture: ${name}) `);
    } else if (role === "progressbar" || role === "meter" || tag === "progress" || tag === "meter") {
      const value = attr(element, "aria-valuenow") ?? attr(element, "value") ?? "?";
      this.#writer.text(
        ` (${tag === "meter" ? "meter" : "progress"}: ${seen(value)} of ${line(attr(element, "aria-valuemax") ?? attr(element, "max") ?? "1")}) `,
      );
    } else if (tag === "video" || tag === "audio") {
      this.#writer.text(` (${tag}${attr(element, "title") ? `: ${seen(attr(element, "title"))}` : ""}) `);
    }
  }

  /** The content of a frame; undefined if it shows another origin. */
  #frame(frame: Element): Node[] | undefined {
    const inner = documentIn(frame);
    if (!inner) {
      this.#writer.text("(another site is shown here, which cannot be read)");
      return [];
    }
    const start = modalOf(inner) ?? bodyOf(inner) ?? topOf(inner);
    return start ? [start] : [];
  }
}

/**
 * `[12] button "Add" (disabled)`.
 *
 * @param title The heading of the item around it, for which the name has `…`.
 */
function markOf(info: ElementInfo, tag: string, title = ""): string {
  const states = info.states.filter((state) => state !== "offscreen");
  let text = `[${info.id}] ${info.role}`;
  if (info.name) text += ` ${quoted(withoutTitle(info.name, title))}`;
  else if (info.href) text += ` to ${info.href.slice(0, 80)}`;
  if (states.length > 0) text += ` (${states.join(", ")})`;
  if (info.value) text += ` = ${quoted(info.value)}`;
  if (info.options && tag === "select") {
    const shown = info.options.slice(0, 12).join(" / ");
    text += ` {${shown}${info.options.length > 12 ? " / …" : ""}}`;
  }
  return text;
}

/** A name in which `…` stands for a heading that the reader has just read. */
function withoutTitle(name: string, title: string): string {
  const at = title.length > SHORTEST_TITLE && name !== title ? ` ${name} `.indexOf(` ${title} `) : -1;
  return at < 0 ? name : `${name.slice(0, at)}…${name.slice(at + title.length)}`;
}

/** Whether a link is the picture of the next one: of the same address, and with no other name. */
function isPictureOfNext(link: Element, name: string): boolean {
  if (!firstElementOf(link) || textOf(link).trim() !== "") return false;
  const next = nextLink(link);
  if (!next || !attr(link, "href") || attr(next, "href") !== attr(link, "href")) return false;
  const { width, height } = rectOf(next);
  return width > 8 && height > 8 && isVisible(next) && (name === "" || nameOf(next, "link").text === name);
}

/** The link that follows in the same item. */
function nextLink(link: Element): Element | undefined {
  let at: Element | null = link;
  for (let up = 0; at && up < 3; up += 1) {
    for (let next = nextElementOf(at); next; next = nextElementOf(next)) {
      const found = is(next, "a[href]") ? next : all(next, "a[href]")[0];
      if (found) return isIgnored(found) ? undefined : found;
    }
    const around = renderedParent(at);
    at = around && CARD.test(tagOf(around)) ? null : around;
  }
  return undefined;
}

/** Whether a component is one of several of which one has `tabindex=0`, as the arrow keys lead from that to the others. */
const isReachedByArrows = (element: Element, tag: string): boolean =>
  tag.includes("-") && all(parentOf(element) ?? element, `[tabindex="0"]`).some((other) => tagOf(other) === tag);

const isField = (element: Element, tag: string): boolean =>
  /^(input|select|textarea|button)$/.test(tag) && is(element, ":not([type=hidden i])");

/** Whether an invisible field has a visible stand-in: its label, or a box of its size; a button its label. */
function isReachable(field: Element): boolean {
  const labels = (field as HTMLInputElement).labels;
  if (labels && Array.from(labels).some((label) => isShown(label))) return true;
  if (tagOf(field) === "button") return false;
  const { width, height } = rectOf(field);
  return width >= 8 && height >= 8 && styleOf(field)?.visibility === "visible";
}

/** Whether a label only repeats the name of a listed field. */
function isNameOfField(label: Element): boolean {
  const field = (label as HTMLLabelElement).control;
  if (!field || tagOf(field) === "button" || !(hasSize(field) || isReachable(field))) return false;
  const style = styleOf(field);
  if (!style || style.display === "none" || style.visibility !== "visible") return false;
  const name = nameOf(field, roleOf(field)).text;
  return name !== "" && name === labelOf(field);
}

/** Whether a row belongs to a data table, rather than to a layout table. */
function isDataRow(row: Element): boolean {
  return all(row, "table,h1,h2,h3,form,ul,ol").length === 0;
}
