/** Gives fields their values past what frameworks put over them, and tells the page as a browser does. */
import { viewOf } from "../read/nodes.ts";

type Kind = "input" | "textarea" | "select" | "option";

const prototypes: Record<Kind, object> = {
  input: HTMLInputElement.prototype,
  textarea: HTMLTextAreaElement.prototype,
  select: HTMLSelectElement.prototype,
  option: HTMLOptionElement.prototype,
};

/** Sets a property by the browser's own setter, which no framework has replaced. */
export function assign(element: Element, property: string, value: unknown): void {
  const { set } = Object.getOwnPropertyDescriptor(prototypes[element.localName as Kind], property) ?? {};
  Reflect.apply(set as (value: unknown) => void, element, [value]);
}

/** Asks the page whether a text may be put in; false when it takes that upon itself. */
export function before(element: Element, data: string): boolean {
  const view = viewOf(element);
  if (!view) return false;
  const init = { bubbles: true, cancelable: true, composed: true, inputType: "insertText", data };
  return element.dispatchEvent(new view.InputEvent("beforeinput", init));
}

/** Tells that a field has a new value. */
export function changed(element: Element, data: string | null = null): void {
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

/** A key that goes down and up again; false when the page took it for itself. */
export function key(element: Element, name: string): boolean {
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
