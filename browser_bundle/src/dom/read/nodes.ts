/**
 * The tree of a page as an agent sees it: without the parts that the site closed to agents
 * (`data-agent="ignore"`), and with `•••` for the text of those that it masked.
 */
import { accessOf, HIDDEN, IGNORE, isIgnored, MASK, ownAccess } from "../../base/agent_access.ts";
import { attr, documentOf, frameOf, getter, isElement, renderedParent, typeOf, viewOf, windowOf } from "../../base/node_tree.ts";

export { isConnected } from "../../base/node_tree.ts";
export { attr, documentOf, frameOf, isElement, renderedParent, typeOf, viewOf, windowOf };

/** A getter that returns null for elements of another kind. */
function nullableGetter<T>(prototype: object, name: string): (target: object) => T | null {
  const get = getter<T>(prototype, name);
  return (target) => {
    try {
      return get(target);
    } catch {
      return null;
    }
  };
}

/** A text of the page, masked or not; what an agent may read is `valueOfText`. */
export const dataOf = getter<string>(CharacterData.prototype, "data");
const firstChild = getter<Node | null>(Node.prototype, "firstChild");
const nextSibling = getter<Node | null>(Node.prototype, "nextSibling");
/** The first child that is an element. */
export const firstElementOf = getter<Element | null>(Element.prototype, "firstElementChild");
export const parentOf = getter<Element | null>(Node.prototype, "parentElement");
export const nextElementOf = getter<Element | null>(Element.prototype, "nextElementSibling");
const textContent = getter<string | null>(Node.prototype, "textContent");
/** The address against which a node's links are resolved. */
export const baseOf = getter<string>(Node.prototype, "baseURI");
/** The element's tag name in lower case, without a prefix. */
export const tagOf = getter<string>(Element.prototype, "localName");
export const shadowOf = getter<ShadowRoot | null>(Element.prototype, "shadowRoot");
const contentDocument = nullableGetter<Document | null>(HTMLIFrameElement.prototype, "contentDocument");

export const bodyOf = getter<HTMLElement | null>(Document.prototype, "body");
export const topOf = getter<Element | null>(Document.prototype, "documentElement");
const title = getter<string>(Document.prototype, "title");

const { assignedNodes } = HTMLSlotElement.prototype;
const { getRootNode } = Node.prototype;
const { checkVisibility, closest, getAttributeNames, getBoundingClientRect, getClientRects, hasAttribute, matches } = Element.prototype;
const queries = [Element, Document, DocumentFragment].map((kind) => kind.prototype.querySelectorAll);

export const attributeNames = (element: Element): string[] => getAttributeNames.call(element);
export const has = (element: Element, name: string): boolean => hasAttribute.call(element, name);
export const is = (element: Element, selector: string): boolean => matches.call(element, selector);
/** Whether an element and all around it is neither hidden nor transparent. */
export const isVisible = (element: Element): boolean =>
  checkVisibility.call(element, { opacityProperty: true, visibilityProperty: true }) && !nearest(element, "[aria-hidden=true],[inert]");
export const nearest = (element: Element, selector: string): Element | null => closest.call(element, selector);
export const rectOf = (element: Element): DOMRect => getBoundingClientRect.call(element);
export const rectsOf = (element: Element): DOMRectList => getClientRects.call(element);
export const rootOf = (node: Node): Document | ShadowRoot => getRootNode.call(node) as Document | ShadowRoot;

/** A text without spaces at its ends, masked if it has any words. */
const masked = (text: string): string => (text.trim() ? HIDDEN : text);

/** A text node as an agent may read it. */
export function valueOfText(text: Node): string {
  const closed = accessOf(text);
  return closed & IGNORE ? "" : closed & MASK ? masked(dataOf(text)) : dataOf(text);
}

/** The text in a node, hidden parts included, as an agent may read it. */
export function textOf(node: Node): string {
  const closed = accessOf(node);
  if (closed & IGNORE) return "";
  if (closed & MASK) return masked(textContent(node) ?? "");
  const texts = documentOf(node)?.createTreeWalker(node, NodeFilter.SHOW_TEXT);
  let found = "";
  for (let text = texts?.nextNode(); text; text = texts?.nextNode()) found += valueOfText(text);
  return found;
}

/** The title of a document. */
export function titleOf(document: Document): string {
  const [element] = query(document, "head>title");
  const closed = accessOf(element ?? document);
  return closed & IGNORE ? "" : closed & MASK ? masked(title(document)) : title(document);
}

/** Elements that may close something to agents. */
const CLOSING = "[data-agent],[autocomplete],[type=password i]";

/** Whether something in a page is closed to agents. */
export function hasClosedParts(top: Document): boolean {
  return rootsIn(top).some((root) => query(root, CLOSING).some(ownAccess));
}

/** The descendants that match, without those in shadow trees and frames. */
export const all = (node: Node, selector: string): Element[] =>
  query(node, selector).filter((element) => !isIgnored(element));

/** The same, with what agents do not see. */
export function query(node: Node, selector: string): Element[] {
  const query = queries[typeOf(node) === 1 ? 0 : typeOf(node) === 9 ? 1 : 2] as Document["querySelectorAll"];
  return [...query.call(node as Document, selector)];
}

export function styleOf(element: Element): CSSStyleDeclaration | null {
  return viewOf(element)?.getComputedStyle(element) ?? null;
}

/** The inline style of an element: its attribute, and the rules that hold. */
export interface InlineStyle {
  text: string | null;
  rules: string;
}

export function inlineStyleOf(element: HTMLElement): InlineStyle {
  return { text: attr(element, "style"), rules: element.style.cssText };
}

/** Gives an element the inline style back that it had. */
export function restoreStyle(element: HTMLElement, { text, rules }: InlineStyle): void {
  // A policy of the page may forbid the attribute, but not the rules that a script sets.
  element.style.cssText = rules;
  // Chromium writes the attribute when it is read; one that is removed before comes back empty.
  const written = attr(element, "style");
  if (text === null) element.removeAttribute("style");
  else if (text !== written) element.setAttribute("style", text);
}

const { elementFromPoint, elementsFromPoint, getElementById } = Document.prototype;
const inShadow = { at: ShadowRoot.prototype.elementFromPoint, byId: DocumentFragment.prototype.getElementById };

/** The element of an id in the same document or shadow tree. */
export function byId(node: Node, id: string): Element | null {
  const root = rootOf(node);
  const type = typeOf(root);
  const found =
    type === 9 ? getElementById.call(root as Document, id) : type === 11 ? inShadow.byId.call(root as ShadowRoot, id) : null;
  return found && isIgnored(found) ? null : found;
}

/** The topmost element at a point, in a document or a shadow tree; our own panel is ignored. */
export function topElementAt(root: Document | ShadowRoot, x: number, y: number): Element | null {
  if (typeOf(root) !== 9) return inShadow.at.call(root as ShadowRoot, x, y);
  const hit = elementFromPoint.call(root as Document, x, y);
  if (!hit || !isOurs(hit)) return hit;
  return elementsFromPoint.call(root as Document, x, y).find((below) => !isOurs(below)) ?? null;
}

function isOurs(element: Element): boolean {
  return tagOf(element).startsWith("webagent-");
}

/** The document of a frame, if this page may access it. */
export function documentIn(frame: Element): Document | null {
  const tag = tagOf(frame);
  return tag === "iframe" || tag === "frame" ? contentDocument(frame) : null;
}

/** The rendered children of a node that an agent may see, in order. */
export function renderedChildren(node: Node): Node[] {
  if (isIgnored(node)) return [];
  return shownChildren(node).filter((child) => !isElement(child) || !(ownAccess(child) & IGNORE));
}

/** All rendered children, in order: a shadow tree instead of the children that it replaces. */
export function shownChildren(node: Node): Node[] {
  if (!isElement(node)) return childrenOf(node);
  const shadow = shadowOf(node);
  if (shadow) return childrenOf(shadow);
  if (tagOf(node) === "slot" && "assignedNodes" in node) {
    const assigned = assignedNodes.call(node as HTMLSlotElement);
    if (assigned.length > 0) return assigned;
  }
  if (tagOf(node) === "details" && !has(node, "open")) {
    return childrenOf(node).filter((child) => isElement(child) && tagOf(child) === "summary").slice(0, 1);
  }
  return childrenOf(node);
}

/** The children of a node; the browser's own list of them stays in memory, and is slower to read. */
function childrenOf(node: Node): Node[] {
  const children: Node[] = [];
  for (let child = firstChild(node); child; child = nextSibling(child)) children.push(child);
  return children;
}

/** Whether one element is shown inside another, or is it. */
export function isInside(node: Node | null, outer: Element): boolean {
  for (let at: Node | null = node; at; at = renderedParent(at)) if (at === outer) return true;
  return false;
}

/** Most roots that are searched. */
const MOST_ROOTS = 5000;

/**
 * The document and all open shadow roots and accessible frames in it, outer ones first, without ours.
 *
 * @param whole Also those that agents do not see.
 */
export function rootsIn(top: Document, whole = false): (Document | ShadowRoot)[] {
  const roots: (Document | ShadowRoot)[] = [top];
  for (let i = 0; i < roots.length && roots.length < MOST_ROOTS; i += 1) {
    for (const element of query(roots[i] as Document, "*")) {
      const inner = shadowOf(element) ?? documentIn(element);
      if (inner && !isOurs(element) && (whole || !isIgnored(element))) roots.push(inner);
    }
  }
  return roots;
}

/** Matching elements of the document, of its shadow trees and its frames. */
export function everywhere(top: Document, selector: string): Element[] {
  return rootsIn(top).flatMap((root) => all(root, selector));
}

/** The form of a field, or the form around another element. */
export function formAround(element: Element): HTMLFormElement | null {
  const { form } = element as HTMLInputElement;
  if (form && tagOf(element) !== "form" && isElement(form)) return isIgnored(form) ? null : form;
  for (let at: Element | null = element; at; at = renderedParent(at)) if (tagOf(at) === "form") return at as HTMLFormElement;
  return null;
}
