/** Sets values past the setters of frameworks, and fires the events that a browser would. */
import { viewOf } from "../read/nodes.ts";

type Kind = "input" | "textarea" | "select" | "option";

const prototypes: Record<Kind, object> = {
  input: HTMLInputElement.prototype,
  textarea: HTMLTextAreaElement.prototype,
  select: HTMLSelectElement.prototype,
  option: HTMLOptionElement.prototype,
};

/** Sets a property with the browser's own setter, even if a framework has overridden it. */
export function setProperty(element: Element, property: string, value: unknown): void {
  const { set } = Object.getOwnPropertyDescriptor(prototypes[element.localName as Kind], property) ?? {};
  Reflect.apply(set as (value: unknown) => void, element, [value]);
}

/** Fires `beforeinput`; false when the page handles the input itself. */
export function fireBeforeInput(element: Element, data: string): boolean {
  const view = viewOf(element);
  if (!view) return false;
  const init = { bubbles: true, cancelable: true, composed: true, inputType: "insertText", data };
  return element.dispatchEvent(new view.InputEvent("beforeinput", init));
}

/** Fires the events of a new value. */
export function fireInput(element: Element, data: string | null = null): void {
  const view = viewOf(element);
  if (!view) return;
  const init = { bubbles: true, composed: true };
  const input =
    data === null
      ? new view.Event("input", init)
      : new view.InputEvent("input", { ...init, inputType: "insertText", data });
  element.dispatchEvent(input);
  element.dispatchEvent(new view.Event("change", { bubbles: true }));
}

/** Presses and releases a key; false when the page prevented its default action. */
export function pressKey(element: Element, name: string): boolean {
  const view = viewOf(element);
  if (!view) return false;
  const code = { Enter: 13, Escape: 27, ArrowDown: 40 }[name] ?? 0;
  const init = {
    key: name,
    code: name,
    keyCode: code,
    which: code,
    bubbles: true,
    cancelable: true,
    composed: true,
    view,
  };
  const free = element.dispatchEvent(new view.KeyboardEvent("keydown", init));
  if (free && name === "Enter") element.dispatchEvent(new view.KeyboardEvent("keypress", init));
  element.dispatchEvent(new view.KeyboardEvent("keyup", init));
  return free;
}
