/**
 * Reads nodes with the getters of the prototypes: a form's control cannot hide a member from them, and they
 * work on nodes of other windows.
 */

function getter<T>(prototype: object, name: string): (target: object) => T {
  const get = Object.getOwnPropertyDescriptor(prototype, name)?.get as () => T;
  return (target) => Reflect.apply(get, target, []);
}

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

export const typeOf = getter<number>(Node.prototype, "nodeType");
export const valueOfText = getter<string>(CharacterData.prototype, "data");
const parentNode = getter<Node | null>(Node.prototype, "parentNode");
const childNodes = getter<NodeListOf<ChildNode>>(Node.prototype, "childNodes");
export const textOf = getter<string | null>(Node.prototype, "textContent");
export const isConnected = getter<boolean>(Node.prototype, "isConnected");
export const documentOf = getter<Document | null>(Node.prototype, "ownerDocument");
/** The address against which a node's links are resolved. */
export const baseOf = getter<string>(Node.prototype, "baseURI");
/** The element's tag name in lower case, without a prefix. */
export const tagOf = getter<string>(Element.prototype, "localName");
export const shadowOf = getter<ShadowRoot | null>(Element.prototype, "shadowRoot");
const slotOfElement = getter<HTMLSlotElement | null>(Element.prototype, "assignedSlot");
const slotOfText = getter<HTMLSlotElement | null>(Text.prototype, "assignedSlot");
const contentDocument = nullableGetter<Document | null>(HTMLIFrameElement.prototype, "contentDocument");

/** The window of a document; null of one that is not shown. */
export const windowOf = getter<(Window & typeof globalThis) | null>(Document.prototype, "defaultView");
export const bodyOf = getter<HTMLElement | null>(Document.prototype, "body");
export const topOf = getter<Element | null>(Document.prototype, "documentElement");
export const titleOf = getter<string>(Document.prototype, "title");

const { assignedNodes } = HTMLSlotElement.prototype;
const { getRootNode } = Node.prototype;
const { closest, getAttribute, getAttributeNames, getBoundingClientRect, getClientRects, hasAttribute, matches } = Element.prototype;
const queries = [Element, Document, DocumentFragment].map((kind) => kind.prototype.querySelectorAll);

export function isElement(node: Node | null | undefined): node is Element {
  return !!node && typeOf(node) === 1;
}

/** An attribute's text; null when it is not there. */
export const attr = (element: Element, name: string): string | null => getAttribute.call(element, name);
export const attributeNames = (element: Element): string[] => getAttributeNames.call(element);
export const has = (element: Element, name: string): boolean => hasAttribute.call(element, name);
export const is = (element: Element, selector: string): boolean => matches.call(element, selector);
export const nearest = (element: Element, selector: string): Element | null => closest.call(element, selector);
export const rectOf = (element: Element): DOMRect => getBoundingClientRect.call(element);
export const rectsOf = (element: Element): DOMRectList => getClientRects.call(element);
export const rootOf = (node: Node): Document | ShadowRoot => getRootNode.call(node) as Document | ShadowRoot;

/** The descendants that match, without those in shadow trees and frames. */
export function all(node: Node, selector: string): Element[] {
  const query = queries[typeOf(node) === 1 ? 0 : typeOf(node) === 9 ? 1 : 2] as Document["querySelectorAll"];
  return [...query.call(node as Document, selector)];
}

/** The window that shows the element; null when none does. */
export function viewOf(element: Element): (Window & typeof globalThis) | null {
  const document = isConnected(element) ? documentOf(element) : null;
  return document && windowOf(document);
}

export function styleOf(element: Element): CSSStyleDeclaration | null {
  return viewOf(element)?.getComputedStyle(element) ?? null;
}

const { elementFromPoint, elementsFromPoint, getElementById } = Document.prototype;
const inShadow = { at: ShadowRoot.prototype.elementFromPoint, byId: DocumentFragment.prototype.getElementById };

/** The element of an id in the same document or shadow tree. */
export function byId(node: Node, id: string): Element | null {
  const root = rootOf(node);
  if (typeOf(root) === 9) return getElementById.call(root as Document, id);
  return typeOf(root) === 11 ? inShadow.byId.call(root as ShadowRoot, id) : null;
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
  return /^i?frame$/.test(tagOf(frame)) ? contentDocument(frame) : null;
}

/** The frame that shows the document of an element. */
export function frameOf(element: Element): Element | null {
  try {
    return viewOf(element)?.frameElement ?? null;
  } catch {
    return null;
  }
}

/** The rendered children of a node, in order: a shadow tree instead of the children that it replaces. */
export function renderedChildren(node: Node): ArrayLike<Node> {
  if (!isElement(node)) return childNodes(node);
  const shadow = shadowOf(node);
  if (shadow) return childNodes(shadow);
  if (tagOf(node) === "slot" && "assignedNodes" in node) {
    const assigned = assignedNodes.call(node as HTMLSlotElement);
    if (assigned.length > 0) return assigned;
  }
  if (tagOf(node) === "details" && !has(node, "open")) {
    return [...childNodes(node)].filter((child) => isElement(child) && tagOf(child) === "summary").slice(0, 1);
  }
  return childNodes(node);
}

/** The rendered parent of a node, through slots, shadow roots and frames. */
export function renderedParent(node: Node): Element | null {
  const slot = isElement(node) ? slotOfElement(node) : typeOf(node) === 3 ? slotOfText(node) : null;
  const parent: Node | null = slot ?? parentNode(node);
  if (!parent) return null;
  if (isElement(parent)) return parent;
  if (typeOf(parent) === 11) return (parent as ShadowRoot).host ?? null;
  return isElement(node) ? frameOf(node) : null;
}

/** Whether one element is shown inside another, or is it. */
export function isInside(node: Node | null, outer: Element): boolean {
  for (let at: Node | null = node; at; at = renderedParent(at)) if (at === outer) return true;
  return false;
}

/** Most roots that are searched. */
const MOST_ROOTS = 5000;

/** The document and all open shadow roots and accessible frames in it, outer ones first, without ours. */
export function rootsIn(top: Document): (Document | ShadowRoot)[] {
  const roots: (Document | ShadowRoot)[] = [top];
  for (let i = 0; i < roots.length && roots.length < MOST_ROOTS; i += 1) {
    for (const element of all(roots[i] as Document, "*")) {
      const inner = isOurs(element) ? null : (shadowOf(element) ?? documentIn(element));
      if (inner) roots.push(inner);
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
  if (form && tagOf(element) !== "form" && isElement(form)) return form;
  for (let at: Element | null = element; at; at = renderedParent(at)) if (tagOf(at) === "form") return at as HTMLFormElement;
  return null;
}
