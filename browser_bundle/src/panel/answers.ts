/** `answers.js`: shows Markdown and results of the agent, undoes steps, and finds and marks their things on the page. */
import { loadChunk } from "../base/lazy_chunks.ts";
import type * as DomPart from "../dom/index.ts";
import type { FinishedEvent, KnownCall, StepEvent } from "../run/run_events.ts";
import { button, h, type Child } from "../ui/elements.ts";
import { upTo } from "../ui/display_text.ts";
import { visible } from "../ui/text_parts.ts";
import { fitted, linkTo, MarkdownText, ownAddress } from "./markdown.ts";
import { PageMark, placeOf } from "./page_mark.ts";
import type { Texts } from "./panel_texts.ts";

const CSS = `
.text ul, .text ol, .text blockquote { margin: 0; padding-inline-start: 22px; }
.text > * + *, .text > div > * + *, .text li > * + *, .text blockquote > * + * { margin-block-start: 7px; }
.text li { margin-block-start: 2px; }
.text blockquote { border-inline-start: 2px solid var(--line); padding-inline-start: 12px; color: var(--muted); }
.text hr { inline-size: 100%; border: 0; border-block-start: 1px solid var(--line); }
.text pre { background: var(--surface); border-radius: 8px; padding: 7px 10px; }
.text a, .cards a { color: var(--accent); text-underline-offset: 2px; overflow-wrap: anywhere; }
.text a:focus-visible, .cards a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 2px; }
.address { color: var(--muted); font-size: .92em; overflow-wrap: anywhere; }
.answer { margin-block-start: 9px; }
.cards { list-style: none; margin: 0; padding: 0; display: flex; flex-direction: column; gap: 8px; }
.cards > li { display: flex; gap: 11px; padding: 9px 11px; border: 1px solid var(--line); border-radius: 10px; background: var(--bg); }
.cards img { flex: none; inline-size: 56px; block-size: 72px; object-fit: cover; border-radius: 6px; background: var(--surface); }
.cards li > div { flex: 1; min-inline-size: 0; display: flex; flex-direction: column; gap: 2px; overflow-wrap: anywhere; }
.cards .name { display: flex; justify-content: space-between; gap: 4px 12px; flex-wrap: wrap; font-weight: 600; }
@media (max-width: 560px), (pointer: coarse) { .cards button.link { margin-block: -5px -9px; } .acts:has(> :not([hidden])) { margin-block: -8px; } }
.cards .price { font-variant-numeric: tabular-nums; }
.facts { display: flex; flex-wrap: wrap; gap: 1px 12px; font-size: calc(13 * var(--wa-px)); }
.facts:empty { display: none; }
.facts > span > span:first-child { color: var(--muted); }
.answer button.link { align-self: flex-start; margin-block-start: 3px; }
.more { margin-inline-start: 27px; }
.acts { display: flex; gap: 14px; }
.acts button, .answer button { text-align: start; }
.pictures { display: flex; flex-wrap: wrap; gap: 8px; }
.step img { max-inline-size: 100%; max-block-size: 240px; border: 1px solid var(--line); border-radius: 8px; }
.running .undo { display: none; }
.body details > summary { color: var(--muted); font-size: calc(12.5 * var(--wa-px)); }
.outcome > div { flex: 1; }
.fitted { container-type: inline-size; overflow-x: auto; }
:is(.text, .fitted, .cards) ~ .facts { margin-block-start: 7px; }
table { border-collapse: collapse; margin-inline-start: -5px; font-size: calc(13 * var(--wa-px)); }
th, td { text-align: start; vertical-align: top; padding: 4px 5px; border-block-end: 1px solid var(--line); white-space: normal; overflow-wrap: break-word; }
th { color: var(--muted); font-weight: 620; }
.number { text-align: end; font-variant-numeric: tabular-nums; }
.number, .short { white-space: nowrap; }
${[230, 280, 340, 420].map(
  (room, at) => `@container (max-width: ${room}px) { table:has(th:nth-child(${at + 3})) {
  & thead, & td:empty { display: none; }
  &, & :is(tbody, tr, td) { display: block; inline-size: 100%; text-align: start; white-space: normal; overflow-wrap: anywhere; }
  & td:not(:last-child) { border: 0; padding-block-end: 0; }
  & td::before { content: attr(data-label) " "; color: var(--muted); } } }`,
).join("")}
.page-mark { position: fixed; inset: 0 auto auto 0; direction: ltr; z-index: -1; pointer-events: none; border: 2.5px solid var(--accent); border-radius: 8px;
  box-shadow: 0 0 0 2px var(--bg), 0 0 0 6px color-mix(in srgb, var(--accent) 30%, transparent); }
@media (prefers-reduced-motion: no-preference) { .page-mark { animation: mark .5s ease-out 2 alternate; } }
@keyframes mark { from { box-shadow: 0 0 0 2px var(--bg), 0 0 0 16px transparent; } }
`;

type Data = Record<string, unknown>;
/** Names of members for people. */
type Labels = Record<string, string>;

/** Cards and rows that are shown at first. */
const FIRST_CARDS = 3;
const FIRST_ROWS = 5;
/** Items of a list that are looked at; the others are in the details. */
const MOST_ITEMS = 500;
const MOST_COLUMNS = 6;
const MOST_FACTS = 5;
const MOST_LINES = 20;
/** When it is looked once more whether the page shows a thing. */
const LOOK_MS = 1000;
const LONGEST_NAME = 200;
const LONGEST_FACT = 160;

/** The types that are shown; Python names a picture by its bytes. */
const PICTURE_TYPES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
/** Pictures that the result of one step shows. */
const MOST_PICTURES = 20;

const NAMES = ["title", "name", "label", "heading", "displayName", "fullName"];
const PRICE = /^(?:(?:unit|line|sub|grand)?_?(?:price|cost|total|amount)|fee)$/i;
const CURRENCY = /^(?:price)?_?currency(?:_?code)?$/i;
const PICTURE = /^(?:image|picture|photo|thumb(?:nail)?|cover|img)(?:_?(?:url|src))?$/i;
const LINK = /^(?:url|link|href)$/i;
/** As in `core/webagent/registry/sentences.py`; `paid` is not one. */
const isId = (key: string): boolean => /(?:^|[_-])(?:id|slug|sku|isbn|code|key|uuid)$/i.test(key) || /[a-z]I[dD]$/.test(key);
/** The number of an order, an invoice or a parcel. */
const REFERENCE = /^(?=[^a-z]{3,20}$)[A-Z]+[-/ ]?\d[\dA-Z/-]*$/;
/** Amounts as planners write them: `4.90 GBP`. */
const AMOUNT = /(?<![\w.,])(\d{1,9})(?:[.,](\d\d))? ([A-Z]{3})\b/g;
/** A date or a number, which stays in one line of a table. */
const SHORT = /^(?=.*\d).{1,13}$/;
/** Numbers that are names. */
const PLAIN = /year|code|number|phone|zip|version/i;
const DATE = /^(\d{4})-(\d\d)-(\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?$/;

/** The part of the panel that answers use; the inspector has none of it, and is not on the page of the run. */
export interface AnswerActs {
  /** Find a file of a run by its name; null if the run is not the last one of this page. */
  file?(runId: string, name: string): Promise<File | null>;
  /** Undo a step by this call, as a run of its own. */
  undo?(goal: string, call: KnownCall): void;
  /** Make the panel small, where it covers an element that is shown. */
  minimise?(): void;
}

export class Answers {
  #log: HTMLElement;
  #texts: Texts;
  #acts: AnswerActs;
  #grow: (act: () => void) => void;
  #shown = new WeakMap<HTMLElement, MarkdownText>();
  #mark: PageMark;
  /** Events of steps with an element, so far. */
  #touches = 0;
  /** The steps that have finished. */
  #steps: StepEvent[] = [];
  /** The buttons that undo steps, with their calls. */
  #undos: [string, HTMLElement][] = [];

  /**
   * @param log The conversation, in the panel.
   * @param grow Takes each change that makes the conversation longer.
   */
  constructor(log: HTMLElement, texts: Texts, acts: AnswerActs, grow: (act: () => void) => void) {
    this.#log = log;
    this.#texts = texts;
    this.#acts = acts;
    this.#grow = grow;
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(CSS);
    (log.getRootNode() as ShadowRoot).adoptedStyleSheets.push(sheet);
    this.#mark = new PageMark(log.closest(".frame") ?? log);
  }

  /** Show a text, or as much of it as there is, in an element. */
  text(element: HTMLElement, text: string, ended: boolean): void {
    let shown = this.#shown.get(element);
    if (!shown) this.#shown.set(element, (shown = new MarkdownText(element, this.#grow)));
    shown.show(text, ended);
  }

  /** A result as cards, as a table or as a line; null for any other data. */
  #result(value: unknown, labels: Labels): HTMLElement | null {
    const words = new Words(labels, this.#texts);
    const found = listOf(value);
    if (found) return this.#list(found, words);
    if (isRecord(value)) {
      const facts = factsOf(value, {}, words, MOST_LINES);
      const isShort = (one: unknown) => isScalar(one) && String(one).length <= LONGEST_FACT;
      return facts.length > 0 && Object.values(value).every(isShort) ? h("p", { class: "facts" }, ...facts) : null;
    }
    if (typeof value !== "number" && typeof value !== "boolean") return null;
    return h("p", {}, words.value("", value));
  }

  /**
   * Complete the element of a finished step: its result in readable form, its pictures, and buttons.
   *
   * @param isHere Whether its element is on this page, now.
   */
  step(event: StepEvent, element: HTMLElement, isHere: boolean): void {
    this.#steps.push(event);
    this.#grow(() => this.#complete(event, element, isHere));
  }

  #complete(event: StepEvent, element: HTMLElement, isHere: boolean): void {
    const { value, labels = {}, tool, undo } = event;
    const details = element.querySelector("details") as HTMLDetailsElement;
    const data = details.querySelector(".data");
    const buttons = h("div", { class: "acts" });
    const pictures = h("div", { class: "pictures" });
    const more = element.querySelector(".more");
    more?.append(buttons);
    // A screenshot was taken for the model; a picture of a tool is what the person asked for.
    (event.action === "take_screenshot" ? details.lastElementChild : more)?.append(pictures);
    void this.#showPictures(event, pictures);
    const unfold = () => {
      const view = data?.isConnected && details.open && this.#result(value, labels);
      if (view) data.replaceWith(view, h("details", {}, h("summary", {}, this.#texts.details), ...data.childNodes));
    };
    details.addEventListener("toggle", unfold);
    unfold();
    // A call that undoes an earlier one was made; that one cannot be undone again.
    const made = tool && callText({ tool, arguments: event.arguments });
    for (const [call, known] of this.#undos) if (call === made) known.remove();
    if (undo && this.#acts.undo) {
      const goal = `${this.#texts.undo}: ${element.querySelector(".title")?.textContent ?? undo.tool}`;
      const act = button("link undo", this.#texts.undo, () => this.#acts.undo?.(goal, undo));
      act.setAttribute("aria-label", goal);
      buttons.append(act);
      this.#undos.push([callText(undo), act]);
    }
    if (isHere) void this.#stepButton(event).then((show) => show && this.#grow(() => buttons.append(show)));
  }

  async #showPictures({ run_id, value }: StepEvent, place: HTMLElement): Promise<void> {
    for (const name of fileNames(value).slice(0, MOST_PICTURES)) {
      const file = await this.#acts.file?.(run_id, name).catch(() => null);
      if (!file || !PICTURE_TYPES.has(file.type)) continue;
      const url = URL.createObjectURL(file);
      const image = h("img", { src: url, alt: name });
      try {
        await image.decode();
        this.#grow(() => place.append(image));
      } catch {
        // The data are damaged, or the site's policy forbids such addresses; the name is shown.
      }
      URL.revokeObjectURL(url);
    }
  }

  /**
   * Show the outcome of a run in an element: its text, with cards or a table of its things.
   *
   * @param isPlanned Whether a planner without a model has written the text.
   */
  outcome(element: HTMLElement, { run_id, text: said, data }: FinishedEvent, isPlanned: boolean): void {
    const own = this.#steps.filter((step) => step.run_id === run_id && step.tool);
    const words = new Words(Object.assign({}, ...own.map(({ labels }) => labels)) as Labels, this.#texts);
    const values = [data, ...own.reverse().map(({ value }) => value)];
    const text = isPlanned ? words.amounts(said, values) : said;
    // The words of a planner have one fact of a result, `The price is £4.90.`; the others explain it.
    if (isPlanned && isRecord(data) && !listOf(data)) {
      const facts = factsOf(data, {}, words, MOST_FACTS);
      const said = facts.filter(({ lastChild }) => text.includes(lastChild?.textContent ?? ""));
      if (said.length > 0 && said.length < facts.length) this.#grow(() => element.after(h("p", { class: "facts" }, ...facts)));
    }
    for (const [place, value] of values.entries()) {
      const found = listOf(value);
      if (!found || (!found.isCards && found.items.length < 2)) continue;
      const named = found.items.filter((item) => text.includes(nameOf(item)) && nameOf(item).length > 2);
      const isData = place === 0;
      if (named.length === 0 && !isData) continue;
      // A planner lists the first things, and says how many there are; the cards have them all.
      const listing = isPlanned && isData && named.length > 0 ? listingIn(text, named.map(nameOf)) : undefined;
      const isAll = named.length === 0 || (listing && text.slice(0, listing.start).includes(` ${found.items.length}`));
      const items = isAll ? found.items : named;
      const view = this.#list({ ...found, items, isWhole: items === found.items }, words);
      this.text(element, listing ? `${text.slice(0, listing.start)}.${text.slice(listing.end)}` : text, true);
      this.#grow(() => element.after(view));
      return;
    }
    this.text(element, text, true);
  }

  #list({ items, isCards, rest, isWhole }: List, words: Words): HTMLElement {
    const more = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== items.length));
    const facts = isWhole ? factsOf(more, {}, words, MOST_FACTS) : [];
    return h(
      "div",
      { class: "answer" },
      ...(isCards ? this.#cards(items, rest, words) : this.#table(items, rest, words)),
      facts.length > 0 && h("p", { class: "facts" }, ...facts),
    );
  }

  /** A list, the first items at once, the others when they are asked for. */
  #upTo<Item>(items: Item[], first: number, place: HTMLElement, made: (item: Item) => HTMLElement): HTMLButtonElement | false {
    place.append(...items.slice(0, first).map(made));
    if (items.length <= first) return false;
    const all = button("link", `${this.#texts.show_all} (${items.length})`, () => {
      all.remove();
      place.append(...items.slice(first).map(made));
    });
    return all;
  }

  #cards(items: Data[], rest: Data, words: Words): Child[] {
    const place = h("ul", { class: "cards" });
    return [place, this.#upTo(items, FIRST_CARDS, place, (item) => this.#card(item, rest, words))];
  }

  #card(item: Data, rest: Data, words: Words): HTMLElement {
    const name = visible(nameOf(item));
    const price = Object.keys(item).find((key) => PRICE.test(key) && words.price(item, key, rest));
    const address = visible(String(member(item, LINK) ?? ""));
    const image = ownAddress(member(item, PICTURE));
    const picture = image && h("img", { src: image, alt: "", loading: "lazy" });
    if (picture) picture.addEventListener("error", () => picture.remove());
    const left = Object.fromEntries(Object.entries(item).filter(([key]) => key !== price && !NAMES.includes(key)));
    return h(
      "li",
      {},
      picture,
      h(
        "div",
        {},
        h("p", { class: "name", dir: "auto" }, h("span", {}, ...(address ? linkTo(address, [name]) : [name])), price && h("span", { class: "price" }, words.price(item, price, rest))),
        h("p", { class: "facts" }, ...factsOf(left, rest, words, MOST_FACTS)),
        this.#showButton(() => placesOf(ownAddress(address), nameOf(item))),
      ),
    );
  }

  #table(items: Data[], rest: Data, words: Words): Child[] {
    const columns = columnsOf(items);
    const isNumber = (key: string) => items.every((item) => typeof (item[key] ?? 0) === "number");
    const numbers = new Set(columns.filter(isNumber));
    const body = h("tbody");
    const cell = (name: "th" | "td", key: string, content: string) =>
      h(name, { dir: "auto", class: numbers.has(key) ? "number" : SHORT.test(content) ? "short" : "", "data-label": words.label(key) }, content);
    const row = (item: Data) => h("tr", {}, ...columns.map((key) => cell("td", key, words.fact(item, key, rest))));
    const more = this.#upTo(items, FIRST_ROWS, body, row);
    const head = h("thead", {}, h("tr", {}, ...columns.map((key) => cell("th", key, words.label(key)))));
    return [fitted(h("table", {}, head, body)), more];
  }

  // On the page.

  /**
   * A button that shows something on the page; hidden while it is not there.
   *
   * @param find Finds the element.
   */
  #showButton(find: () => Element | undefined): HTMLButtonElement | false {
    if (!this.#acts.minimise) return false;
    const made = button("link", this.#texts.show_on_page, () => {
      const element = find();
      if (element) this.#show(element);
      else made.hidden = true;
    });
    const look = () => this.#grow(() => (made.hidden = find() === undefined));
    made.hidden = true;
    setTimeout(() => {
      look();
      // The page may still be showing what its tool has found, and shows something else later.
      made.closest("li")?.addEventListener("pointerenter", look);
    });
    setTimeout(look, LOOK_MS);
    return made;
  }

  #show(element: Element): void {
    this.#mark.show(element);
    const panel = this.#log.closest(".panel")?.getBoundingClientRect();
    const narrow = panel && panel.width > 0.8 * innerWidth;
    const place = placeOf(element);
    const beside = place && panel && (place.right <= panel.left + place.width / 2 || place.left >= panel.right - place.width / 2);
    if (narrow || !beside) this.#acts.minimise?.();
  }

  /** Mark the element that the agent touches, as long as the step takes. */
  async touch(event: StepEvent): Promise<void> {
    const turn = ++this.#touches;
    const element = event.state === "started" ? await this.#touched(event) : undefined;
    if (element) this.#mark.begin(element);
    // A quick step may be over by now.
    if (!element || turn !== this.#touches) this.#mark.end();
  }

  /** The run has ended. */
  end(): void {
    this.#mark.end();
  }

  /** A button that shows the element of a step; undefined if the page does not have it any more. */
  async #stepButton(event: StepEvent): Promise<HTMLButtonElement | false | undefined> {
    const element = await this.#touched(event);
    return element && this.#showButton(() => (element.isConnected && element.checkVisibility() ? element : undefined));
  }

  async #touched({ element }: StepEvent): Promise<Element | undefined> {
    // The agent has loaded the same script, which knows the numbers that it has given.
    const { elementOf } = await loadChunk<typeof DomPart>(new URL("./", import.meta.url).href, "dom");
    return elementOf(element?.pp_id) ?? undefined;
  }
}

const callText = (call: KnownCall): string => JSON.stringify([call.tool, call.arguments]);

/** The link to an address on the page, or the text that is a name. */
function placesOf(address: string | null, name: string): Element | undefined {
  const isShown = (element: Element) => element.checkVisibility();
  const links = address ? [...document.querySelectorAll("a[href]")].filter((link) => (link as HTMLAnchorElement).href === address) : [];
  const named = () => [...document.querySelectorAll("h1,h2,h3,h4,h5,h6,a,th,td,dt")].find((one) => one.textContent.trim() === name && isShown(one));
  return links.find(isShown) ?? named();
}

// The kinds of data.

interface List {
  items: Data[];
  /** Whether its items are things with a name and a price, an address or a picture. */
  isCards: boolean;
  /** What else is known of the whole: a total, the currency. */
  rest: Data;
  /** Whether all items are there. */
  isWhole: boolean;
}

/** The names of the files in a step's value: it is one, or has some directly in its list or object. */
function fileNames(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  const { file } = value as { file?: unknown };
  if (typeof file === "string") return [file];
  return Object.values(value).flatMap((inner: unknown) => {
    const name = typeof inner === "object" && inner !== null ? (inner as { file?: unknown }).file : undefined;
    return typeof name === "string" ? [name] : [];
  });
}

const isRecord = (value: unknown): value is Data => typeof value === "object" && value !== null && !Array.isArray(value) && !("$type" in value);
const isScalar = (value: unknown): boolean => typeof value !== "object" || value === null || ("$type" in value && /^(?:date|bigint|number)$/.test(String(value.$type)));
const member = (data: Data, key: RegExp): unknown => Object.entries(data).find(([name]) => key.test(name))?.[1];

/** The list that a value is or has, or the one thing that it is; undefined for any other value. */
function listOf(value: unknown): List | undefined {
  const lists = isRecord(value) ? Object.entries(value).filter(([, inner]) => Array.isArray(inner) && inner.length > 0) : [];
  if (isRecord(value) && isThing(value)) return { items: [value], isCards: true, rest: {}, isWhole: true };
  const whole = Array.isArray(value) ? value : lists.length === 1 ? (lists[0]?.[1] as unknown[]) : [];
  const items = whole.slice(0, MOST_ITEMS);
  if (items.length === 0 || !items.every(isRecord)) return undefined;
  const isCards = items.every(isThing);
  if (!isCards && columnsOf(items).length < 2) return undefined;
  const rest = isRecord(value) ? Object.entries(value).filter(([, inner]) => isScalar(inner)) : [];
  return { items, isCards, rest: Object.fromEntries(rest), isWhole: true };
}

function isThing(data: Data): boolean {
  const priced = Object.keys(data).some((key) => PRICE.test(key) && (typeof data[key] === "number" || typeof data[key] === "string"));
  return nameOf(data) !== "" && (priced || typeof member(data, LINK) === "string" || ownAddress(member(data, PICTURE)) !== null);
}

/** The name of a thing for people; empty without one. */
function nameOf(data: Data): string {
  const name = NAMES.map((key) => data[key]).find((value) => typeof value === "string" && value.trim() !== "");
  return upTo(String(name ?? "").trim(), LONGEST_NAME);
}

/** Members that say something to a person, in their order. */
function toldOf(data: Data): string[] {
  return Object.keys(data).filter((key) => {
    const value = data[key];
    const isData = isId(key) || LINK.test(key) || PICTURE.test(key) || CURRENCY.test(key);
    return !isData && isScalar(value) && value !== null && value !== "";
  });
}

function columnsOf(items: Data[]): string[] {
  const first = items.slice(0, 50);
  const keys = [...new Set(first.flatMap(toldOf))];
  // Things without a name go by their number: `CW-20512`, and not `7` or `a-year-of-rooks`.
  const isNumbered = (key: string) => isId(key) && first.every((item) => REFERENCE.test(String(item[key])));
  const number = keys.some((key) => NAMES.includes(key)) ? undefined : Object.keys(items[0] ?? {}).find(isNumbered);
  return [...(number === undefined ? [] : [number]), ...keys].slice(0, MOST_COLUMNS);
}

/** The facts of a thing, each with its label. */
function factsOf(data: Data, whole: Data, words: Words, most: number): HTMLElement[] {
  const told = toldOf(data).slice(0, most);
  return told.map((key) => h("span", {}, h("span", {}, `${words.label(key)} `), h("span", { dir: "auto" }, words.fact(data, key, whole))));
}

/**
 * The part of a planner's text that lists things: `There are 2 books: Dune (£8) and Emma (£9).`
 *
 * @returns Where it begins, at the colon, and where it ends, after the full stop.
 */
function listingIn(text: string, names: string[]): { start: number; end: number } | undefined {
  const first = Math.min(...names.map((name) => text.indexOf(name)));
  const last = Math.max(...names.map((name) => text.lastIndexOf(name) + name.length));
  const start = text.lastIndexOf(": ", first);
  const facts = text.startsWith(" (", last) ? text.indexOf(")", last) : last;
  const end = text.indexOf(".", facts);
  return start < 0 || end < 0 || text.slice(start + 2, first).trim() !== "" ? undefined : { start, end: end + 1 };
}

/** Labels and values in the language of the page. */
class Words {
  #labels: Labels;
  #texts: Texts;
  #locale = localeOfPage();

  constructor(labels: Labels, texts: Texts) {
    this.#labels = labels;
    this.#texts = texts;
  }

  /** The name of a member for people: its title, or the words of its name. */
  label(key: string): string {
    const own = Object.hasOwn(this.#labels, key) ? this.#labels[key] : undefined;
    const plain = /^id$/i.test(key) ? this.#texts.number : key.replace(/(?<=[a-z0-9])(?=[A-Z])|[_-]+/g, " ").trim().toLowerCase();
    return visible(upTo(own ?? (plain.charAt(0).toUpperCase() + plain.slice(1) || key), 60));
  }

  /** A member of a thing, which may be an amount of money. */
  fact(data: Data, key: string, whole: Data): string {
    return (PRICE.test(key) && this.price(data, key, whole)) || this.value(key, data[key]);
  }

  /** An amount of money, with the currency of the thing or of the whole; empty for any other value. */
  price(data: Data, key: string, whole: Data): string {
    const amount = data[key];
    if (typeof amount === "string") return visible(upTo(amount, 40));
    if (typeof amount !== "number") return "";
    const currency = member(data, CURRENCY) ?? member(whole, CURRENCY);
    const money = typeof currency === "string" && this.#money(amount, currency);
    if (money) return money;
    // Without a currency a total may be one of things.
    const isCount = Number.isInteger(amount) && /total/i.test(key);
    return new Intl.NumberFormat(this.#locale, { minimumFractionDigits: isCount ? 0 : 2, maximumFractionDigits: 2 }).format(amount);
  }

  /** A text whose amounts are written as those of cards, where the results have their currency. */
  amounts(text: string, results: unknown): string {
    const known = JSON.stringify(results);
    return text.replace(AMOUNT, (whole, units: string, cents: string | undefined, currency: string) => {
      return (known.includes(`:"${currency}"`) && this.#money(Number(`${units}.${cents ?? 0}`), currency)) || whole;
    });
  }

  #money(amount: number, currency: string): string {
    try {
      return new Intl.NumberFormat(this.#locale, { style: "currency", currency }).format(amount);
    } catch {
      // It is not the code of a currency.
      return "";
    }
  }

  value(key: string, value: unknown): string {
    if (typeof value === "boolean") return value ? this.#texts.yes : this.#texts.no;
    if (typeof value === "number") {
      const useGrouping = Math.abs(value) >= 10_000 && !PLAIN.test(key);
      return new Intl.NumberFormat(this.#locale, { useGrouping, maximumFractionDigits: 6 }).format(value);
    }
    const text = isScalar(value) && typeof value === "object" && value ? String((value as { value?: unknown }).value ?? "") : String(value ?? "");
    const day = DATE.exec(text);
    const moment = day && new Date(day[4] ? text : `${text}T00:00`);
    if (moment && !Number.isNaN(moment.getTime())) {
      return new Intl.DateTimeFormat(this.#locale, { dateStyle: "medium", ...(day[4] && { timeStyle: "short" }) }).format(moment);
    }
    return visible(upTo(text, LONGEST_FACT)) + (text.length > LONGEST_FACT ? "…" : "");
  }
}

/** The language of the page; that of the visitor's browser if the page has none. */
function localeOfPage(): string | undefined {
  try {
    return Intl.getCanonicalLocales(document.documentElement.lang)[0];
  } catch {
    return undefined;
  }
}
