/** The results on a page: the linked items of its longest list, with the words of each. */
import { wordsOf } from "../read/accessible_names.ts";
import { all, nearest, tagOf } from "../read/nodes.ts";
import type { Entry } from "../read/page_reader.ts";
import type { PageState } from "../read/page_state.ts";
import { line } from "../read/page_text.ts";

interface ListedResult {
  title: string;
  url: string;
  text: string;
}

const MOST = 50;
const MOST_CHARS = 400;
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
  return longest ? [...longest.things.values()].slice(0, MOST) : [];
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
  const words = wordsOf(thing, MOST_CHARS);
  // The text before the title may be the name of a picture.
  const [before, ...after] = words.split(title);
  const isHead = after.length > 0 && (before ?? "").length < MOST_BEFORE;
  const text = isHead ? after.join(title).replace(/^[\s:·–—-]+/, "") : words;
  return { title: line(title), url: (element as HTMLAnchorElement).href, text };
}
