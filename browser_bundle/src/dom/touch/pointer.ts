/** Clicks elements with the events of a mouse. */
import { isDisabled } from "../read/element_states.ts";
import { isConnected, renderedParent, viewOf } from "../read/nodes.ts";
import { hitAt, type HitPoint } from "./hit_test.ts";

/** Moves to a spot and clicks there. */
export function clickAt({ x, y, hit }: HitPoint): void {
  const view = viewOf(hit);
  if (!view) return;
  const at = { bubbles: true, cancelable: true, composed: true, view, clientX: x, clientY: y, screenX: x, screenY: y };
  const pointer = { ...at, pointerId: 1, pointerType: "mouse", isPrimary: true };
  const over = (target: Element): void => {
    target.dispatchEvent(new view.PointerEvent("pointerover", pointer));
    for (const outer of outwards(target).reverse())
      outer.dispatchEvent(new view.PointerEvent("pointerenter", { ...pointer, bubbles: false }));
    target.dispatchEvent(new view.MouseEvent("mouseover", at));
    for (const outer of outwards(target).reverse())
      outer.dispatchEvent(new view.MouseEvent("mouseenter", { ...at, bubbles: false }));
    target.dispatchEvent(new view.PointerEvent("pointermove", pointer));
    target.dispatchEvent(new view.MouseEvent("mousemove", at));
  };
  over(hit);
  let target = currentElement(hit, x, y);
  const down = { detail: 1, button: 0, buttons: 1 };
  target.dispatchEvent(new view.PointerEvent("pointerdown", { ...pointer, ...down, pressure: 0.5 }));
  if (target.dispatchEvent(new view.MouseEvent("mousedown", { ...at, ...down }))) focusNear(target);
  target = currentElement(target, x, y);
  const up = { detail: 1, button: 0, buttons: 0 };
  target.dispatchEvent(new view.PointerEvent("pointerup", { ...pointer, ...up }));
  target.dispatchEvent(new view.MouseEvent("mouseup", { ...at, ...up }));
  target = currentElement(target, x, y);
  if (!isDisabled(target)) target.dispatchEvent(new view.PointerEvent("click", { ...pointer, ...up }));
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
