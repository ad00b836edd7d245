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
export function fireBeforeInput(element: Element, data: string | null, inputType = "insertText"): boolean {
  const view = viewOf(element);
  if (!view) return false;
  const init = { bubbles: true, cancelable: true, composed: true, inputType, data };
  return element.dispatchEvent(new view.InputEvent("beforeinput", init));
}

/** Fires the events of a new value. */
export function fireInput(element: Element, data: string | null = null, inputType = data === null ? "" : "insertText"): void {
  const view = viewOf(element);
  if (!view) return;
  const init = { bubbles: true, composed: true };
  const input = inputType ? new view.InputEvent("input", { ...init, inputType, data }) : new view.Event("input", init);
  element.dispatchEvent(input);
  element.dispatchEvent(new view.Event("change", { bubbles: true }));
}

/** A key with its modifiers, as the events of the keyboard describe it. */
export interface Key {
  key: string;
  code: string;
  /** The number of old scripts, `keyCode`. */
  number: number;
  modifiers: readonly Modifier[];
}

type Modifier = "Control" | "Alt" | "Shift" | "Meta";

/** The number of each key that has a name. */
const NAMED: Record<string, number> = {
  Enter: 13, Escape: 27, Tab: 9, Backspace: 8, Delete: 46, Insert: 45, Home: 36, End: 35, PageUp: 33, PageDown: 34,
  ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40, ContextMenu: 93,
  ...Object.fromEntries([...Array(12).keys()].map((i) => [`F${i + 1}`, 112 + i])),
};

/** A key by its name: `Enter`, `a`, `Space`, `Shift+Tab`; null if there is none. */
export function keyOf(name: string): Key | null {
  const parts = /^((?:(?:Control|Alt|Shift|Meta)\+)*)([\s\S]+)$/.exec(name);
  if (!parts) return null;
  const modifiers = (parts[1] ?? "").split("+").filter((word) => word !== "") as Modifier[];
  const key = parts[2] === "Space" ? " " : (parts[2] ?? "");
  if (Object.hasOwn(NAMED, key)) return { key, code: key, number: NAMED[key] as number, modifiers };
  if ([...key].length !== 1 || /[\p{C}\p{M}•]/u.test(key)) return null;
  const upper = key.toUpperCase();
  const code = /^[A-Z]$/.test(upper) ? `Key${upper}` : /^\d$/.test(key) ? `Digit${key}` : key === " " ? "Space" : "";
  return { key, code, number: code ? upper.charCodeAt(0) : 0, modifiers };
}

/** Whether a key writes itself into a field. */
export const isPrintable = ({ key, modifiers }: Key): boolean =>
  !Object.hasOwn(NAMED, key) && modifiers.every((modifier) => modifier === "Shift");

/** Presses a key down; false when the page prevented its default action. */
export function keyDown(element: Element, key: Key): boolean {
  const free = fireKey(element, "keydown", key);
  return free && (key.key === "Enter" || isPrintable(key)) ? fireKey(element, "keypress", key) : free;
}

/** Releases a key; false when the page prevented what that does. */
export const keyUp = (element: Element, key: Key): boolean => fireKey(element, "keyup", key);

function fireKey(element: Element, type: string, { key, code, number, modifiers }: Key): boolean {
  const view = viewOf(element);
  if (!view) return false;
  // The number of a key press is that of its character.
  const keyCode = type === "keypress" && key.length === 1 ? key.charCodeAt(0) : number;
  const has = (modifier: Modifier): boolean => modifiers.includes(modifier);
  return element.dispatchEvent(
    new view.KeyboardEvent(type, {
      key,
      code,
      keyCode,
      which: keyCode,
      ctrlKey: has("Control"),
      altKey: has("Alt"),
      shiftKey: has("Shift"),
      metaKey: has("Meta"),
      bubbles: true,
      cancelable: true,
      composed: true,
      view,
    }),
  );
}

/** Presses and releases a key; false when the page prevented its default action. */
export function pressKey(element: Element, name: string): boolean {
  const key = keyOf(name) ?? { key: name, code: "", number: 0, modifiers: [] };
  const free = keyDown(element, key);
  keyUp(element, key);
  return free;
}
