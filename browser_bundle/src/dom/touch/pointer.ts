/** A mouse: moves, clicks and drags with the events that a browser sends. */
import { isDisabled } from "../read/element_states.ts";
import { attr, is, isConnected, isInside, renderedParent, viewOf } from "../read/nodes.ts";
import { hitAt, type HitPoint } from "./hit_test.ts";

/** The element under the mouse since the last action. */
let hovered: WeakRef<Element> | null = null;

type Place = Pick<HitPoint, "x" | "y">;
type View = NonNullable<ReturnType<typeof viewOf>>;

/** A mouse at a spot of a window: its events, in the order of a browser. */
class Mouse {
  readonly view: View;
  readonly #at: MouseEventInit;

  constructor(view: View, { x, y }: Place) {
    this.view = view;
    this.#at = { bubbles: true, cancelable: true, composed: true, view, clientX: x, clientY: y, screenX: x, screenY: y };
  }

  /** Fires an event of the pointer; false when the page prevented its default action. */
  pointer(target: Element, type: string, more: PointerEventInit = {}): boolean {
    const init = { ...this.#at, pointerId: POINTER, pointerType: "mouse", isPrimary: true, ...more };
    return target.dispatchEvent(new this.view.PointerEvent(type, init));
  }

  mouse(target: Element, type: string, more: MouseEventInit = {}): boolean {
    return target.dispatchEvent(new this.view.MouseEvent(type, { ...this.#at, ...more }));
  }

  /** Fires an event of a drag with what is dragged. */
  drag(target: Element, type: string, dataTransfer: DataTransfer, more: DragEventInit = {}): boolean {
    return target.dispatchEvent(new this.view.DragEvent(type, { ...this.#at, dataTransfer, ...more }));
  }

  /** Moves onto an element, from the one that was under the mouse before. */
  moveTo(target: Element, buttons = 0): void {
    const last = hovered?.deref();
    const from = last && isConnected(last) && viewOf(last) === this.view ? last : null;
    hovered = new WeakRef(target);
    if (from !== target) {
      const [before, after] = [from ? outwards(from) : [], outwards(target)];
      const left = before.filter((one) => !after.includes(one));
      const entered = after.filter((one) => !before.includes(one)).reverse();
      const related = { buttons, relatedTarget: from };
      if (from) this.#leave(from, left, { buttons, relatedTarget: target });
      this.pointer(target, "pointerover", related);
      for (const one of entered) this.pointer(one, "pointerenter", { ...related, bubbles: false });
      this.mouse(target, "mouseover", related);
      for (const one of entered) this.mouse(one, "mouseenter", { ...related, bubbles: false });
    }
    this.pointer(target, "pointermove", { buttons });
    this.mouse(target, "mousemove", { buttons });
  }

  #leave(from: Element, left: readonly Element[], to: MouseEventInit): void {
    this.pointer(from, "pointerout", to);
    for (const one of left) this.pointer(one, "pointerleave", { ...to, bubbles: false });
    this.mouse(from, "mouseout", to);
    for (const one of left) this.mouse(one, "mouseleave", { ...to, bubbles: false });
  }

  /** Presses the button; false when the page prevented what that does. */
  down(target: Element): boolean {
    this.pointer(target, "pointerdown", { ...DOWN, pressure: 0.5 });
    return this.mouse(target, "mousedown", DOWN);
  }

  up(target: Element): void {
    this.pointer(target, "pointerup", UP);
    this.mouse(target, "mouseup", UP);
  }
}

/** The number of the mouse, as browsers give it. */
const POINTER = 1;
const DOWN = { detail: 1, button: 0, buttons: 1 };
const UP = { detail: 1, button: 0, buttons: 0 };

/** Moves the mouse to a spot. */
export function hoverAt(spot: HitPoint): void {
  const view = viewOf(spot.hit);
  if (view) new Mouse(view, spot).moveTo(spot.hit);
}

/** Moves to a spot and clicks there. */
export function clickAt({ x, y, hit }: HitPoint): void {
  const view = viewOf(hit);
  if (!view) return;
  const mouse = new Mouse(view, { x, y });
  mouse.moveTo(hit);
  let target = currentElement(hit, x, y);
  if (mouse.down(target)) focusNear(target);
  target = currentElement(target, x, y);
  mouse.up(target);
  target = currentElement(target, x, y);
  if (!isDisabled(target)) mouse.pointer(target, "click", UP);
}

/** Places on the way of a drag. */
const DRAG_STEPS = 5;
/** Frames of the page between them, in ms. */
const DRAG_STEP_MS = 16;

/**
 * Drags from one spot to another of the same window.
 *
 * An element with `draggable`, a link or a picture is dragged with its data, as browsers do it. Anything else
 * gets the events of a mouse that moves with its button pressed.
 *
 * @returns Whether something took it: a target that allows the drop, or the element that follows the mouse.
 */
export async function dragBetween(from: HitPoint, to: Place): Promise<boolean> {
  const view = viewOf(from.hit);
  if (!view) return false;
  const start = new Mouse(view, from);
  start.moveTo(from.hit);
  const source = currentElement(from.hit, from.x, from.y);
  const capture = new PointerCapture(outwards(source));
  try {
    return await draggedBy(start, source, capture, steps(from, to));
  } finally {
    capture.end();
  }
}

async function draggedBy(start: Mouse, source: Element, capture: PointerCapture, way: readonly Place[]): Promise<boolean> {
  const { view } = start;
  const isFree = start.down(source);
  if (isFree) focusNear(source);
  const dragged = isFree ? draggableAround(source) : null;
  const data = dragged && new view.DataTransfer();
  if (dragged && data) {
    const href = attr(dragged, "href") === null ? "" : (dragged as HTMLAnchorElement).href;
    for (const type of href ? ["text/uri-list", "text/plain"] : []) data.setData(type, String(href));
    start.pointer(source, "pointermove", { buttons: 1 });
    start.mouse(source, "mousemove", { buttons: 1 });
    if (start.drag(dragged, "dragstart", data, { buttons: 1 })) {
      start.pointer(source, "pointercancel");
      return dropAfter(dragged, data, way);
    }
  }
  // The page may follow the mouse itself.
  let target: Element = source;
  let mouse: Mouse = start;
  for (const spot of way) {
    mouse = new Mouse(view, spot);
    await new Promise((resolve) => setTimeout(resolve, DRAG_STEP_MS));
    const inView: Element = isConnected(source) ? source : view.document.documentElement;
    const captor = capture.holder && isConnected(capture.holder) ? capture.holder : null;
    target = captor ?? hitAt(inView, spot.x, spot.y) ?? target;
    mouse.moveTo(target, 1);
  }
  mouse.up(target);
  capture.release(mouse);
  const shared = outwards(target).find((one) => isInside(source, one));
  if (shared) mouse.pointer(shared, "click", UP);
  return true;
}

/**
 * The element that gets the events of the mouse during a drag, because the page has captured it.
 *
 * A browser captures only a pointer that it knows, so the page's calls on these elements are answered here.
 */
class PointerCapture {
  holder: Element | null = null;
  readonly #owned: (() => void)[] = [];

  constructor(elements: readonly Element[]) {
    for (const one of elements) {
      this.#own(one, "setPointerCapture", () => void (this.holder = one));
      this.#own(one, "releasePointerCapture", () => void (this.holder = this.holder === one ? null : this.holder));
      this.#own(one, "hasPointerCapture", () => this.holder === one);
    }
  }

  #own(element: Element, name: string, value: () => unknown): void {
    // A page may have frozen it, or have a function of its own there.
    if (!Object.isExtensible(element) || Object.hasOwn(element, name)) return;
    Object.defineProperty(element, name, { value, configurable: true });
    this.#owned.push(() => {
      if (Object.getOwnPropertyDescriptor(element, name)?.value === value) Reflect.deleteProperty(element, name);
    });
  }

  /** The mouse is not captured any more once its button is released. */
  release(mouse: Mouse): void {
    const { holder } = this;
    this.holder = null;
    if (holder && isConnected(holder)) mouse.pointer(holder, "lostpointercapture");
  }

  end(): void {
    for (const giveBack of this.#owned) giveBack();
  }
}

/** The rest of a drag with data: over what is on the way, and the drop. */
async function dropAfter(dragged: Element, data: DataTransfer, way: readonly Place[]): Promise<boolean> {
  let over: Element | null = null;
  let isTaken = false;
  let mouse: Mouse | null = null;
  for (const spot of way) {
    const view = viewOf(dragged);
    if (!view) return false;
    mouse = new Mouse(view, spot);
    await new Promise((resolve) => setTimeout(resolve, DRAG_STEP_MS));
    if (isConnected(dragged)) mouse.drag(dragged, "drag", data, { buttons: 1 });
    const target: Element | null = hitAt(dragged, spot.x, spot.y) ?? over;
    if (!target) continue;
    if (target !== over) {
      mouse.drag(target, "dragenter", data, { buttons: 1, relatedTarget: over });
      if (over) mouse.drag(over, "dragleave", data, { buttons: 1, relatedTarget: target });
      over = target;
    }
    isTaken = !mouse.drag(target, "dragover", data, { buttons: 1 });
  }
  if (!mouse) return false;
  if (over) mouse.drag(over, isTaken ? "drop" : "dragleave", data);
  if (isConnected(dragged)) mouse.drag(dragged, "dragend", data);
  return isTaken;
}

/** Drops files that come from outside the page; false when nothing at the spot takes them. */
export function dropFiles({ x, y, hit }: HitPoint, data: DataTransfer): boolean {
  const view = viewOf(hit);
  if (!view) return false;
  const mouse = new Mouse(view, { x, y });
  mouse.drag(hit, "dragenter", data);
  const isTaken = !mouse.drag(hit, "dragover", data);
  mouse.drag(hit, isTaken ? "drop" : "dragleave", data);
  return isTaken;
}

/** The nearest element around that browsers drag with its data. */
function draggableAround(element: Element): Element | null {
  for (const one of outwards(element)) {
    const wish = attr(one, "draggable");
    if (wish === "true" || (wish !== "false" && is(one, "a[href],img[src]"))) return one;
  }
  return null;
}

/** The spots on the way from one to another, the last one there. */
function steps(from: Place, to: Place): Place[] {
  return [...Array(DRAG_STEPS).keys()].map((i) => {
    const part = (i + 1) / DRAG_STEPS;
    return { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
  });
}

/** The element, or the one that the page has put in its place meanwhile. */
function currentElement(element: Element, x: number, y: number): Element {
  return isConnected(element) ? element : (hitAt(element, x, y) ?? element);
}

function outwards(element: Element): Element[] {
  const found: Element[] = [];
  for (let at: Element | null = element; at && found.length < 60; at = renderedParent(at)) {
    if (at.ownerDocument === element.ownerDocument) found.push(at);
  }
  return found;
}

/** Focuses the nearest focusable element. */
function focusNear(element: Element): void {
  for (const at of outwards(element)) if (focusOn(at as HTMLElement)) return;
  (element.ownerDocument.activeElement as HTMLElement | null)?.blur?.();
}

/** Focuses an element, also in SVG, which has a `focus` method of its own. */
function giveFocus(element: Element): void {
  for (const { focus } of [HTMLElement.prototype, SVGElement.prototype]) {
    try {
      return focus.call(element as HTMLElement & SVGElement, { preventScroll: true });
    } catch {
      // An element of another kind has no `focus` method.
    }
  }
}

/** Focuses an element; returns whether it has the focus. In a background window the events are fired by hand. */
export function focusOn(element: HTMLElement): boolean {
  const root = element.getRootNode() as Document | ShadowRoot;
  if (root.activeElement === element) return true;
  let focused = false;
  const onFocus = (): void => void (focused = true);
  element.addEventListener("focus", onFocus, { once: true });
  giveFocus(element);
  element.removeEventListener("focus", onFocus);
  if (root.activeElement !== element) return false;
  const view = viewOf(element);
  if (!focused && view) {
    element.dispatchEvent(new view.FocusEvent("focus", { composed: true }));
    element.dispatchEvent(new view.FocusEvent("focusin", { bubbles: true, composed: true }));
  }
  return true;
}
