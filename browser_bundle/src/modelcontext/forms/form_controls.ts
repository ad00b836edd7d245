/** Reads forms and controls with the browser's own getters, which no control's name or framework can hide. */
import type { Realm } from "../realm/window_realm.ts";

/** Any control of a form; its members depend on its kind. */
export type Control = HTMLInputElement & { readonly options: HTMLOptionsCollection };

function accessor<T>(prototype: object, name: string) {
  const { get, set } = Object.getOwnPropertyDescriptor(prototype, name) ?? {};
  return {
    get: (target: object): T => Reflect.apply(get as () => T, target, []),
    set: (target: object, value: T): void => Reflect.apply(set as (value: T) => void, target, [value]),
  };
}

const elements = accessor<HTMLFormControlsCollection>(HTMLFormElement.prototype, "elements");
const nodeType = accessor<number>(Node.prototype, "nodeType");
const isConnected = accessor<boolean>(Node.prototype, "isConnected");
const ownerDocument = accessor<Document>(Node.prototype, "ownerDocument");
const nextSibling = accessor<Node | null>(Node.prototype, "nextSibling");
const parentNode = accessor<Node | null>(Node.prototype, "parentNode");
const checkedness = accessor<boolean>(HTMLInputElement.prototype, "checked");
const values = {
  input: accessor<string>(HTMLInputElement.prototype, "value"),
  textarea: accessor<string>(HTMLTextAreaElement.prototype, "value"),
  select: accessor<string>(HTMLSelectElement.prototype, "value"),
};
const { addEventListener } = EventTarget.prototype;
const { contains, getRootNode } = Node.prototype;
const { getAttribute, matches, querySelectorAll, toggleAttribute } = Element.prototype;
const { click, focus } = HTMLElement.prototype;
const { requestSubmit } = HTMLFormElement.prototype;

/** An attribute's text; null when it is not there. */
export function attribute(element: Element, name: string): string | null {
  return getAttribute.call(element, name);
}

export function isElement(node: Node): node is Element {
  return nodeType.get(node) === 1;
}

export function isMatch(element: Element, selector: string): boolean {
  return matches.call(element, selector);
}

/** The matching descendants. */
export function select(node: Element | Document | ShadowRoot, selector: string): NodeListOf<Element> {
  return isElement(node) ? querySelectorAll.call(node, selector) : node.querySelectorAll(selector);
}

export function setFlag(element: Element, name: string, on: boolean): void {
  toggleAttribute.call(element, name, on);
}

export function contain(node: Node, other: Node | null): boolean {
  return contains.call(node, other);
}

export function rootOf(node: Node): Document | ShadowRoot {
  return getRootNode.call(node) as Document | ShadowRoot;
}

/** The window that shows the element; null without one, or for an element outside of a document. */
export function viewOf(element: Element): Realm | null {
  return isConnected.get(element) ? ownerDocument.get(element).defaultView : null;
}

/** Whether the parser has finished the element, so that its content is complete. */
export function isParsed(element: Element): boolean {
  if (ownerDocument.get(element).readyState !== "loading") return true;
  for (let node: Node | null = element; node; node = parentNode.get(node) ?? (node as ShadowRoot).host ?? null) {
    if (nextSibling.get(node)) return true;
  }
  return false;
}

/** The controls in tree order, including image buttons, which `elements` omits. */
export function controlsOf(form: HTMLFormElement): Control[] {
  const controls = [...elements.get(form)] as Control[];
  const images = [...select(rootOf(form), "input[type=image i]")].filter(
    (image) => (image as Control).form === form,
  );
  if (images.length === 0) return controls;
  return [...controls, ...(images as Control[])].sort((a, b) => (a.compareDocumentPosition(b) & 4 ? -1 : 1));
}

/** Whether a click on the control submits its form. */
export function isSubmitButton(control: Control): boolean {
  return /^(button|input)$/.test(control.localName) && /^(submit|image)$/.test(control.type) && !control.matches(":disabled");
}

export function submit(form: HTMLFormElement, button: HTMLElement | null): void {
  requestSubmit.call(form, button);
}

export function focusOn(button: HTMLElement): void {
  focus.call(button);
}

function valueOf(control: Control): string {
  return values[control.localName as keyof typeof values].get(control);
}

/** Sets a control's value, and fires events if that changed it. */
export function setValue(control: Control, value: string): void {
  const before = valueOf(control);
  values[control.localName as keyof typeof values].set(control, value);
  if (valueOf(control) !== before && control.type !== "hidden") fireInput(control);
}

/** Clicks the control, since frameworks listen for that; sets the state even if a page reverts it. */
export function setChecked(control: Control, checked: boolean): void {
  if (checkedness.get(control) === checked) return;
  click.call(control);
  if (checkedness.get(control) === checked) return;
  checkedness.set(control, checked);
  fireInput(control);
}

/** Fires the events of a new value, as a browser does. */
export function fireInput(control: Control): void {
  const { Event } = control.ownerDocument.defaultView ?? globalThis;
  control.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
  control.dispatchEvent(new Event("change", { bubbles: true }));
}

/** Listens before the page's own listeners, until the signal aborts. */
export function listen(target: EventTarget, type: string, listener: (event: Event) => void, until: AbortSignal): void {
  addEventListener.call(target, type, listener, { capture: true, signal: until });
}
