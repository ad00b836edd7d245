/** Outlines of a page: its navigation as trees, its text without navigation, its sections, and its results. */
import { nameOf, wordsOf } from "../read/accessible_names.ts";
import { hrefOf } from "../read/element_info.ts";
import type { Line } from "../read/line_writer.ts";
import {
  all, attr, everywhere, isElement, isInside, nearest, renderedChildren, renderedParent, styleOf, tagOf, titleOf,
} from "../read/nodes.ts";
import type { Entry } from "../read/page_reader.ts";
import type { PageState } from "../read/page_state.ts";
import { line } from "../read/page_text.ts";
import { isHidden } from "../read/visibility.ts";

const MOST_ITEMS = 500;

interface NavigationItem {
  text: string;
  /** Null for an item that is not a link. */
  url: string | null;
  /** Whether the item is the current page. */
  current: boolean;
  children: NavigationItem[];
}

export function navigationOutline(page: PageState): NavigationItem {
  const { location } = page.window;
  const count = { left: MOST_ITEMS };
  const children = menusIn(page.top).map((menu) => ({
    text: nameOf(menu, "navigation").text,
    url: null,
    current: false,
    children: itemsIn(menu, location, count),
  }));
  const filled = children.filter((menu) => menu.children.length > 0);
  return { text: line(titleOf(page.top)), url: location.href, current: true, children: filled };
}

/** The menus: navigation landmarks, else lists of links in the header and footer, else the longest list of links. */
function menusIn(top: Document): Element[] {
  const outermost = (found: Element[]): Element[] =>
    found.filter((one) => isOffered(one) && !found.some((other) => other !== one && isInside(one, other)));
  const named = outermost(everywhere(top, "nav,[role=navigation],[role=menubar]"));
  if (named.length > 0) return named;
  const bars = outermost(
    everywhere(top, "header,[role=banner],footer,[role=contentinfo]").filter((bar) => linksIn(bar) > 1),
  );
  if (bars.length > 0) return bars;
  const lists = outermost(everywhere(top, "ul,ol,menu").filter((list) => linksIn(list) > 2));
  return lists.sort((a, b) => linksIn(b) - linksIn(a)).slice(0, 1);
}

const linksIn = (element: Element): number => all(element, "a[href]").length;

/** Whether an item can be reached, possibly by opening a menu first. */
function isOffered(element: Element): boolean {
  for (let at: Element | null = element; at; at = renderedParent(at)) {
    if (attr(at, "aria-hidden") === "true" || tagOf(at) === "template") return false;
  }
  return true;
}

/** The items of a menu; a list inside an item holds the item's children. */
function itemsIn(menu: Element, location: Location, count: { left: number }, depth = 0): NavigationItem[] {
  const items: NavigationItem[] = [];
  const children = depth > 40 ? [] : renderedChildren(menu).filter(isElement);
  for (const child of children) {
    if (count.left <= 0) break;
    const style = styleOf(child);
    // Closed menus that can be opened are included; permanently hidden parts are not.
    if (!style || (isHidden(child, style) && !/^(ul|ol|menu)$/.test(tagOf(child)) && !isOpened(child))) continue;
    const tag = tagOf(child);
    if (tag === "a" && attr(child, "href") !== null) {
      count.left -= 1;
      items.push(itemOf(child, location));
    } else if (tag === "li" || /^(listitem|treeitem)$/.test(attr(child, "role") ?? "")) {
      items.push(...itemWith(child, location, count, depth + 1));
    } else if (/^(button|summary)$/.test(tag) || /^h[1-6]$/.test(tag)) {
      const text = nameOf(child, "button").text;
      if (text && linksIn(menu) > 0 && all(child, "a[href]").length === 0)
        items.push({ text, url: null, current: false, children: [] });
      else items.push(...itemsIn(child, location, count, depth + 1));
    } else {
      const inner = itemsIn(child, location, count, depth + 1);
      const last = items.at(-1);
      // A list after an item that is not a link belongs to that item.
      if (last && last.url === null && last.children.length === 0 && inner.length > 0) last.children.push(...inner);
      else items.push(...inner);
    }
  }
  return depth > 0 ? items : items.filter((item) => item.url !== null || item.children.length > 0);
}

/** Whether an element with an expanded state opens the panel. */
function isOpened(panel: Element): boolean {
  const before = panel.previousElementSibling;
  return !!before && (attr(before, "aria-expanded") !== null || attr(before, "aria-haspopup") !== null);
}

function itemWith(item: Element, location: Location, count: { left: number }, depth: number): NavigationItem[] {
  const [first, ...rest] = itemsIn(item, location, count, depth);
  if (!first) return [];
  const list = all(item, "ul,ol,menu")[0];
  if (!list) return [first, ...rest];
  if (first.url === null || (rest.length > 0 && !isFirstIn(item, list)))
    return [{ ...first, children: [...first.children, ...rest] }];
  const text = line(wordsOf(item, 80).split(first.text)[0]);
  return text ? [{ text, url: null, current: false, children: [first, ...rest] }] : [first, ...rest];
}

/** Whether the item's first link is in the list. */
function isFirstIn(item: Element, list: Element): boolean {
  const link = all(item, "a[href]")[0];
  return !!link && isInside(link, list);
}

function itemOf(link: Element, location: Location): NavigationItem {
  const url = hrefOf(link) || null;
  const marked = attr(link, "aria-current");
  const current = marked !== null ? marked !== "false" : isHere(url ?? "#", location);
  return { text: nameOf(link, "link").text, url, current, children: [] };
}

function isHere(url: string, location: Location): boolean {
  return !url.includes("#") && url === location.pathname + location.search;
}

const MOST_CHARS = 100_000;
/** Lines up to this length are compared by their words; longer ones by their text. */
const KEPT = 499;
const MARK = /\[\d+\] [a-z]+(?: "([^"]*)")?(?: \([^)]*\))?/g;

interface Content {
  text: string;
  truncated: boolean;
}

export function content(page: PageState): Content {
  const { entries, lines, truncated } = page.read();
  const main = entries.find(({ info }) => info.role === "main")?.info.id;
  const start = main === undefined ? 0 : Math.max(0, lines.findIndex(({ ids }) => ids.includes(main)));
  const said = lines.slice(start).filter(({ side, key }) => side === 0 && key);
  const text = said.map(lineWords).join("\n");
  return { text: text.slice(0, MOST_CHARS), truncated: truncated || text.length > MOST_CHARS };
}

function lineWords({ text, key, level }: Line): string {
  if (level > 0) return `${"#".repeat(Math.min(level, 6))} ${key}`;
  const words = key.length < KEPT ? key : text.replace(MARK, "$1").replace(/ {2,}/g, " ").trim();
  // There is no space between the name of a link and a punctuation mark.
  return words.replace(/\\\[(?=\d+\])/g, "[").replace(/ (?=[,.;:!?)])/g, "");
}

interface Section {
  /** 0 is the page itself. */
  level: number;
  heading: string;
  /** The beginning of the section's text, without its subsections. */
  text: string;
  /** Numbers of its elements, without those of its subsections. */
  pp_ids: number[];
  children: Section[];
}

const MOST_SECTIONS = 300;
const MOST_IDS = 100;

export function sectionOutline(page: PageState, { max_text = 200 }: { max_text?: number }): Section {
  const most = Math.min(Math.max(Number(max_text) || 0, 0), 5000);
  const top: Section = { level: 0, heading: line(titleOf(page.top)), text: "", pp_ids: [], children: [] };
  const open: Section[] = [top];
  let count = 0;
  for (const { text, key, ids, level } of page.read().lines) {
    if (level > 0 && count < MOST_SECTIONS) {
      count += 1;
      while (open.length > 1 && (open.at(-1) as Section).level >= level) open.pop();
      const section: Section = { level, heading: line(key), text: "", pp_ids: ids.slice(0, MOST_IDS), children: [] };
      (open.at(-1) as Section).children.push(section);
      open.push(section);
      continue;
    }
    const section = open.at(-1) as Section;
    if (section.text.length < most && key) section.text = line(`${section.text} ${text}`, most);
    section.pp_ids.push(...ids.slice(0, Math.max(0, MOST_IDS - section.pp_ids.length)));
  }
  return top;
}

// Results: the linked items of the longest list, with the words of each.

interface ListedResult {
  title: string;
  url: string;
  text: string;
}

const MOST_RESULTS = 50;
const MOST_RESULT_CHARS = 400;
/** Longest text before the title that adds nothing to it. */
const MOST_BEFORE = 60;
/** Longer items count as this long when lists are compared. */
const ENOUGH = 200;
const ASIDE =
  "nav,header,footer,aside,form,[role=navigation],[role=banner],[role=contentinfo],[role=complementary],[role=search]";
const THINGS = "li,article,tr,dd,[role=listitem],[role=article],[role=row]";
const HEADINGS = "h1,h2,h3,h4,h5,h6,[role=heading]";

interface Group {
  things: Map<Element, ListedResult>;
  chars: number;
}

export function results(page: PageState): ListedResult[] {
  const { entries } = page.read();
  const links = entries.filter(({ element, info }) => info.role === "link" && info.href && info.name && !isAside(element));
  const groups = new Map<Element | null, Group>();
  for (const link of links) {
    const thing = thingOf(link, links);
    const key = thing.parentElement;
    const group = groups.get(key) ?? { things: new Map<Element, ListedResult>(), chars: 0 };
    groups.set(key, group);
    if (group.things.has(thing)) continue;
    const found = foundIn(thing, link);
    group.things.set(thing, found);
    group.chars += Math.min(found.title.length + found.text.length, ENOUGH);
  }
  const longest = [...groups.values()].sort((a, b) => b.chars - a.chars)[0];
  return longest ? [...longest.things.values()].slice(0, MOST_RESULTS) : [];
}

/** Whether a link is in the navigation, a sidebar or the like; the header of an article is not. */
function isAside(link: Element): boolean {
  const side = nearest(link, ASIDE);
  return !!side && !(tagOf(side) === "header" && nearest(side, "article,li,section"));
}

/** The item of a link: a list item, or the widest box around it without other links. */
function thingOf({ element, info }: Entry, links: readonly Entry[]): Element {
  const item = nearest(element, THINGS);
  if (item) return item;
  const others = links.filter((other) => other.info.href !== info.href);
  let thing = element;
  for (let box = thing.parentElement; box && !/^(main|body)$/.test(tagOf(box)); box = box.parentElement) {
    if (others.some((other) => box?.contains(other.element))) break;
    thing = box;
  }
  return thing;
}

function foundIn(thing: Element, { element, info }: Entry): ListedResult {
  const heading = all(thing, HEADINGS)[0];
  const title = (heading && wordsOf(heading)) || info.name;
  const words = wordsOf(thing, MOST_RESULT_CHARS);
  // The text before the title may be the name of a picture.
  const [before, ...after] = words.split(title);
  const isHead = after.length > 0 && (before ?? "").length < MOST_BEFORE;
  const text = isHead ? after.join(title).replace(/^[\s:·–—-]+/, "") : words;
  return { title: line(title), url: (element as HTMLAnchorElement).href, text };
}
