/** Facts of an element's markup by which the effect of using it is judged (`webagent.agent.effects`). */
import { holdsUsable, isEditable, isField, isWidget, LINK, linkTargetOf, usableIn } from "./aria_roles.ts";
import {
  attr, attributeNames, byId, documentOf, has, is, isInside, nearest, renderedParent, rootOf, tagOf, viewOf,
} from "./nodes.ts";

/**
 * - `scripted`: a link with a script or another action than to follow it, as far as its markup and
 *   that around it show; also one to `#`, which leads nowhere
 * - `nested`: a link around other controls, which a click may press
 * - `download`, `target`: a link that saves a file, or opens in a frame
 * - `summary`: opens and closes its `<details>`, which needs no script
 * - `controls`: names another element of the page by `aria-controls`
 * - `popup`: says by `aria-haspopup` that it opens something
 * - `sort`: the only control of a column or row header with `aria-sort`
 */
export type Trait = "scripted" | "nested" | "download" | "target" | "summary" | "controls" | "popup" | "sort";

/** The traits of an element; fields have theirs in `form_details`. */
export function traitsOf(element: Element, role: string, isLink: boolean): Trait[] {
  const traits: Trait[] = [];
  const add = (trait: Trait, holds: boolean): void => void (holds && traits.push(trait));
  if (isLink) {
    add("scripted", isScripted(element) || isInClickable(element) || /^#?$/.test(linkTargetOf(element)?.trim() ?? ""));
    add("nested", holdsUsable(element));
    add("download", has(element, "download"));
    add("target", opensInFrame(element));
  } else if (isWidget(role) && (!isField(role) || role === "combobox") && !holdsUsable(element) && !actsBesides(element)) {
    add("summary", isPlainSummary(element));
    add("controls", controlsAnother(element));
    add("popup", /^(true|menu|listbox|tree|grid|dialog)$/.test(attr(element, "aria-haspopup") ?? ""));
    add("sort", isOnlyControlOfSortedHeader(element));
  }
  return traits;
}

/** Attributes that are named after an event: `onclick`, `@click`, `(click)`, `wire:click`, `phx-click`. */
const EVENT =
  /^(on[a-z]+|@.+|\([a-z]+\)|(.+-)?on[-:].+)$|(^|[^a-z])(click|dblclick|press|tap|change|input|submit|blur|(mouse|pointer|key)(down|up))(\.[a-z.-]+)?$/i;
/** Attributes with a request that a framework sends for the element, or with the name of its script. */
const REQUEST = /^((data-)?hx-(get|post|put|patch|delete|trigger)|data-((turbo-)?(method|remote|confirm)|action|ajax|bind)|jsaction|(data-)?up-(method|submit)|fx-(action|method)|ic-(post|put|patch|delete)-to|ping)$/i;
const ACTING = { test: (name: string): boolean => EVENT.test(name) || REQUEST.test(name) };
/** Those of a form that act when it is submitted, not while it is filled in. */
const SUBMITTING =
  /(^|[^a-z])(on)?(submit|reset|invalid|formdata)([^a-z].*)?$|^((data-)?hx-(get|post|put|patch|delete)|data-(turbo-)?(method|remote|confirm))$/i;
/** Those that send a request which changes something, or say where a button sends its form. */
const CHANGING =
  /^((data-)?hx-(post|put|patch|delete)|data-(turbo-)?(method|confirm)|data-remote|formaction|(wire:|phx-)(click|submit)(\.[a-z.-]+)?)$/i;
/** Scripts that send a request or leave the page, as far as their words show. */
const SENDING =
  /\b(fetch|sendBeacon|submit|requestSubmit|ajax|axios|post|put|patch|delete|window\.open)\s*\(|\bXMLHttpRequest\b|\blocation\b/i;
/** Those by which an element acts on a click on something in it. */
const CLICKED = /^onauxclick$|(^|[^a-z])(on)?(click|(mouse|pointer)(down|up))\)?(\.[a-z.-]+)?$/i;
/** Those by which an element acts on a change of a field in it. */
const CHANGED = /(^|[^a-z])(on)?(change|input)\)?(\.[a-z.-]+)?$/i;

/** Whether the element has a script of its own, as far as its markup and its properties show. */
export function isScripted(element: Element): boolean {
  return hasScript(element, ACTING, (element as HTMLElement).onsubmit);
}

/**
 * Whether a field, its label or anything around it in its form has a script of its own. What is not a
 * field in HTML works by a script only, or is a link or a button in disguise.
 */
export function isScriptedField(field: Element, form: Element | null): boolean {
  if (!isNativeField(field) || isIn(field, `${LINK},button`)) return true;
  if (form && !isPartOf(field, form)) return true;
  for (const label of (field as HTMLInputElement).labels ?? []) if (isScripted(label)) return true;
  const acting = { test: (name: string) => ACTING.test(name) && !SUBMITTING.test(name) };
  if (form && hasScript(form, acting)) return true;
  for (let at: Element | null = field; at && at !== form && tagOf(at) !== "body"; at = form ? renderedParent(at) : null)
    if (isScripted(at)) return true;
  return isInActing(field, CLICKED) || isInActing(field, CHANGED);
}

/** Whether a form sends a field: one of its own, or one of a component that takes part in forms. */
function isPartOf(field: Element, form: Element): boolean {
  if (isEditable(field) || (field as HTMLInputElement).form === form) return true;
  const { host } = rootOf(field) as ShadowRoot;
  const component = host && viewOf(host)?.customElements.get(tagOf(host));
  return (component as { formAssociated?: unknown } | undefined)?.formAssociated === true;
}

const isNativeField = (field: Element): boolean =>
  is(field, "select,textarea,input:not([type=button i],[type=reset i],[type=submit i],[type=image i])") || isEditable(field);

/** Whether a click on an element that opens something does more: it resets a form, follows a link, presses a label, sends. */
function actsBesides(element: Element): boolean {
  return is(element, `[type=reset i],label,${LINK}`) || sends(element) || isIn(element, `${LINK},button,label,summary`);
}

/** Whether an element sends a request or leaves the page when it is clicked, as far as its markup shows. */
const sends = (element: Element): boolean =>
  attributeNames(element).some((name) => CHANGING.test(name) || (ACTING.test(name) && SENDING.test(attr(element, name) ?? "")));

/** Whether an element around this one, through shadow trees and frames, matches. */
function isIn(element: Element, selector: string): boolean {
  for (let at = renderedParent(element); at; at = renderedParent(at)) if (is(at, selector)) return true;
  return false;
}

/** Whether an element around this one acts on clicks, as far as its markup and its properties show. */
const isInClickable = (element: Element): boolean => isInActing(element, CLICKED);

/** Whether an element around this one has such an attribute, or the property for it. */
function isInActing(element: Element, acting: RegExp): boolean {
  for (let at = renderedParent(element); at && tagOf(at) !== "body"; at = renderedParent(at)) {
    const { onclick, onchange, oninput } = at as HTMLElement;
    const handlers = acting === CLICKED ? [onclick] : [onchange, oninput];
    if (handlers.some((handler) => typeof handler === "function") || attributeNames(at).some((name) => acting.test(name))) return true;
  }
  return false;
}

function hasScript(element: Element, acting: Pick<RegExp, "test">, ...more: unknown[]): boolean {
  const { onclick, onchange, oninput } = element as HTMLElement;
  return (
    [onclick, onchange, oninput, ...more].some((handler) => typeof handler === "function") ||
    attributeNames(element).some((name) => acting.test(name))
  );
}

function isPlainSummary(element: Element): boolean {
  const details = element.parentElement;
  return tagOf(element) === "summary" && !!details && tagOf(details) === "details" && !isScripted(element) && !isScripted(details) && !isInClickable(details);
}

/** A header may also have a menu, or a button that hides the column. */
function isOnlyControlOfSortedHeader(element: Element): boolean {
  const header = nearest(element, "th[aria-sort],[role=columnheader][aria-sort],[role=rowheader][aria-sort]");
  return header !== null && !sends(header) && usableIn(header).every((other) => other === element) && !isInClickable(header);
}

/** Whether `aria-controls` names an element of the page, other than one around this one. */
function controlsAnother(element: Element): boolean {
  const ids = (attr(element, "aria-controls") ?? "").split(/\s+/, 10);
  return ids.some((id) => {
    const other = id ? byId(element, id) : null;
    return other !== null && !isInside(element, other);
  });
}

/** Whether a link opens in a frame that has a name. */
function opensInFrame(link: Element): boolean {
  // Not `querySelector`, which searches the whole page for each link.
  const bases = attr(link, "target") === null ? documentOf(link)?.getElementsByTagName("base") : undefined;
  const target = attr([...(bases ?? [])].find((base) => has(base, "target")) ?? link, "target") ?? "";
  return !/^(_(self|parent|top|blank))?$/i.test(target);
}
