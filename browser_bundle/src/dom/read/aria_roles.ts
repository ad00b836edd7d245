/** Roles of elements: the one in `role`, or the implicit one of the element (HTML-AAM). */
import { all, attr, firstElementOf, has, is, nearest, shadowOf, tagOf } from "./nodes.ts";

const words = (text: string): Set<string> => new Set(text.trim().split(/\s+/));

const WIDGETS = words(
  "button checkbox combobox link listbox menuitem menuitemcheckbox menuitemradio option radio scrollbar searchbox slider spinbutton switch tab textbox treeitem",
);
/** Kinds of fields without an ARIA role. */
const FIELDS = words("date time datetime month week color file");
export const LANDMARKS = words(
  "banner navigation main complementary contentinfo region search form dialog alertdialog",
);
/** Other roles that may be given in `role`. */
const OTHERS = words(
  `
  alert application article blockquote caption cell code columnheader definition feed figure generic grid gridcell
  group heading img list listitem log marquee math menu menubar meter none note paragraph presentation progressbar
  radiogroup row rowgroup rowheader separator status table tablist tabpanel term timer toolbar tooltip tree
  treegrid
`,
);
/** Roles that are named by their content. */
const NAMED_BY_CONTENT = words(
  "button checkbox clickable columnheader gridcell heading link menuitem menuitemcheckbox menuitemradio option radio row rowheader switch tab tooltip treeitem",
);

const INPUTS: Record<string, string> = {
  button: "button",
  submit: "button",
  reset: "button",
  image: "button",
  checkbox: "checkbox",
  radio: "radio",
  range: "slider",
  number: "spinbutton",
  search: "searchbox",
  date: "date",
  time: "time",
  "datetime-local": "datetime",
  month: "month",
  week: "week",
  color: "color",
  file: "file",
  hidden: "",
};
const TAGS: Record<string, string> = {
  button: "button",
  summary: "button",
  textarea: "textbox",
  nav: "navigation",
  main: "main",
  aside: "complementary",
  form: "form",
  search: "search",
  dialog: "dialog",
  iframe: "iframe",
  frame: "iframe",
  option: "option",
  output: "status",
  progress: "progressbar",
  meter: "meter",
};

/** The role of an element; empty when it has none that matters here. */
export function roleOf(element: Element): string {
  const named = attr(element, "role");
  if (named) {
    for (const word of named.toLowerCase().split(/\s+/, 10)) {
      if (word === "none" || word === "presentation") return ownRole(element, true);
      if (!WIDGETS.has(word) && !LANDMARKS.has(word) && !OTHERS.has(word)) continue;
      // Whatever else a link claims to be, a click follows it.
      return isLink(element) && !MAY_BE_LINK.test(word) ? "link" : word;
    }
  }
  return ownRole(element, false);
}

/** Roles that a link may have; a link in the clothes of a button leads to another page all the same. */
export const MAY_BE_LINK = /^(link|button|tab|menuitem|treeitem)$/;

/** Links; those of SVG may have a prefix. */
export const LINK = "a[*|href],area[href]";

/** Whether a click on an element follows it. */
export const isLink = (element: Element): boolean => is(element, LINK);

/** The address of a link as it is written. */
export const linkTargetOf = (link: Element): string | null => attr(link, "href") ?? attr(link, "xlink:href");

/** The implicit role; with `role=none` only interactive elements keep it. */
function ownRole(element: Element, refused: boolean): string {
  const role = roleOfKind(element);
  return refused && !isWidget(role) ? "" : role;
}

function roleOfKind(element: Element): string {
  const tag = tagOf(element);
  switch (tag) {
    case "a":
    case "area":
      return isLink(element) ? "link" : "";
    case "input": {
      const role = INPUTS[(element as HTMLInputElement).type] ?? "textbox";
      return has(element, "list") && role.endsWith("box") && role !== "checkbox" ? "combobox" : role;
    }
    case "select":
      return (element as HTMLSelectElement).multiple || (element as HTMLSelectElement).size > 1
        ? "listbox"
        : "combobox";
    case "header":
    case "footer":
      if (nearest(element, "article,aside,main,nav,section")) return "";
      return tag === "header" ? "banner" : "contentinfo";
    case "section":
      return has(element, "aria-label") || has(element, "aria-labelledby") ? "region" : "";
    case "summary":
      return element.parentElement?.localName === "details" ? "button" : "";
  }
  if (/^h[1-6]$/.test(tag)) return "heading";
  if (isEditable(element)) return "textbox";
  return TAGS[tag] ?? "";
}

/** Whether an element is editable text rather than a form field. */
export function isEditable(element: Element): boolean {
  const value = attr(element, "contenteditable");
  return value !== null && /^(true|plaintext-only)?$/i.test(value);
}

/** Whether a person can interact with the role. */
export const isWidget = (role: string): boolean => WIDGETS.has(role) || FIELDS.has(role);

/** Whether a value can be entered or chosen in the role. */
export const isField = (role: string): boolean =>
  FIELDS.has(role) || /^(check|list|text|search)box$|^(combobox|radio|slider|spinbutton|switch)$/.test(role);

export const isNamedByContent = (role: string): boolean => NAMED_BY_CONTENT.has(role);

export function levelOf(heading: Element): number {
  const level = Number(attr(heading, "aria-level") ?? /^h([1-6])$/.exec(tagOf(heading))?.[1] ?? 2);
  return level >= 1 && level <= 9 ? Math.floor(level) : 2;
}

const USABLE =
  "a[*|href],button,input,select,textarea,summary,label,[contenteditable],[role=button],[role=link],[role=tab],[role=menuitem],[role=option],[role=checkbox],[role=radio],[role=switch],[tabindex],[onclick]";

/** Whether an element contains interactive elements. */
export function holdsUsable(element: Element): boolean {
  return (firstElementOf(element) !== null || shadowOf(element) !== null) && usableIn(element).length > 0;
}

/** The elements in this one, and in the shadow trees in it, that can be used. */
export function usableIn(part: Element | ShadowRoot): Element[] {
  const found = all(part, USABLE);
  for (const inner of "localName" in part ? [part, ...all(part, "*")] : all(part, "*")) {
    const root = shadowOf(inner);
    if (root) found.push(...usableIn(root));
  }
  return found;
}

/** Whether an element listens for clicks, as far as a script can detect it. */
export function hearsClicks(element: Element): boolean {
  if (has(element, "onclick") || has(element, "ng-click") || (element as HTMLElement).onclick) return true;
  for (const key of Object.keys(element)) {
    if (/^__react(Props|EventHandlers)\$/.test(key)) return hasHandler(element, key, "onClick");
    if (key === "_vei") return hasHandler(element, key, "onClick");
  }
  return Object.getOwnPropertySymbols(element).some(
    (key) => key.description === "_vei" && hasHandler(element, key, "onClick"),
  );
}

function hasHandler(element: Element, key: string | symbol, name: string): boolean {
  const handlers = (element as never as Record<string | symbol, Record<string, unknown> | undefined>)[key];
  return typeof handlers?.[name] === "function" || typeof handlers?.[name] === "object";
}
