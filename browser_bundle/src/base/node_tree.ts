/**
 * Reads nodes with the getters of the prototypes: a form's control cannot hide a member from them, and they
 * work on nodes of other windows.
 */

export function getter<T>(prototype: object, name: string): (target: object) => T {
  const get = Object.getOwnPropertyDescriptor(prototype, name)?.get as (this: object) => T;
  return (target) => get.call(target);
}

export const typeOf = getter<number>(Node.prototype, "nodeType");
export const isConnected = getter<boolean>(Node.prototype, "isConnected");
export const documentOf = getter<Document | null>(Node.prototype, "ownerDocument");
/** The window of a document; null of one that is not shown. */
export const windowOf = getter<(Window & typeof globalThis) | null>(Document.prototype, "defaultView");
const parentNode = getter<Node | null>(Node.prototype, "parentNode");
const slotOfElement = getter<HTMLSlotElement | null>(Element.prototype, "assignedSlot");
const slotOfText = getter<HTMLSlotElement | null>(Text.prototype, "assignedSlot");
const { getAttribute } = Element.prototype;

export function isElement(node: Node | null | undefined): node is Element {
  return !!node && typeOf(node) === 1;
}

/** An attribute's text; null when it is not there. */
export const attr = (element: Element, name: string): string | null => getAttribute.call(element, name);

/** The window that shows the element; null when none does. */
export function viewOf(element: Element): (Window & typeof globalThis) | null {
  const document = isConnected(element) ? documentOf(element) : null;
  return document && windowOf(document);
}

/** The frame that shows the document of an element. */
export function frameOf(element: Element): Element | null {
  try {
    return viewOf(element)?.frameElement ?? null;
  } catch {
    return null;
  }
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
