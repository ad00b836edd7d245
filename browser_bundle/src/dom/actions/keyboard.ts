/** Presses keys, with what a browser itself does on them, and closes dialogs of the page. */
import { isMasked, isSecret } from "../../base/agent_access.ts";
import { isEditable, isWidget, roleOf } from "../read/aria_roles.ts";
import { isDisabled, isReadonly } from "../read/element_states.ts";
import { all, attr, documentIn, is, isConnected, isInside, rootOf, shadowOf, tagOf, viewOf } from "../read/nodes.ts";
import type { View } from "../read/page_reader.ts";
import { listed, type PageState } from "../read/page_state.ts";
import { denied, invalidArguments, type Reply } from "../read/protocol.ts";
import { isShown } from "../read/visibility.ts";
import { groupOf } from "../touch/form_fields.ts";
import { submitButtonOf, submitFrom, SubmitGuard } from "../touch/form_submission.ts";
import { hitPointOf, permit } from "../touch/hit_test.ts";
import {
  fireBeforeInput, fireInput, isPrintable, keyDown, keyOf, keyUp, setProperty, type Key,
} from "../touch/input_events.ts";
import { chooseOptions } from "../touch/list_choice.ts";
import { outcomeOf, settle } from "../touch/outcome.ts";
import { focusOn } from "../touch/pointer.ts";
import { boxAround } from "./movement.ts";

const NO_DEFAULT =
  "the page got the key, and nothing else happened: what a browser itself does on it needs the keyboard of a person or of a browser driver";

type Press = { key: string; pp_id?: number; allow_origin?: string[] };

/** Presses a key on an element, or on what has the focus. */
export function pressKeyOn(page: PageState, { key: name, pp_id, allow_origin }: Press): Promise<Reply> {
  const key = keyOf(String(name));
  if (!key)
    throw invalidArguments(
      `there is no key \`${String(name).slice(0, 40)}\``,
      "write one character or a name such as `Enter`, `Escape`, `ArrowDown`, with `Control+`, `Alt+`, `Shift+` or `Meta+` before it; texts and secrets are entered with `enter_data`",
      "key",
    );
  const guard = new SubmitGuard(page, allow_origin);
  const press = outcomeOf.bind(null, page, async (view) => {
    const element = targetOf(page, view, pp_id);
    const place = element === page.top.body ? "the page" : `\`${page.show(element)}\``;
    if (isPrintable(key) && isSecret(element))
      throw denied(`${page.show(element)} takes a secret, which is not typed key by key`, "use `enter_data`");
    if (isPrintable(key)) await guard.beforeTyping(element, false);
    // Only these keys press what has them; of all others only what a script sends is watched.
    guard.beforeClick(key.key === "Enter" || key.key === " " ? element : page.top.body);
    const did = `pressed \`${key.key === " " ? "Space" : name}\` on ${place}`;
    const [effect, isFree] = await pressed(page, element, key, guard);
    return { did: effect ? `${did}, ${effect}` : did, ...(isFree && effect === null ? { left_out: NO_DEFAULT } : {}) };
  });
  return guard.around(press);
}

/** Where a key goes; a person has to be able to bring the focus there. */
function targetOf(page: PageState, view: View, pp_id: number | undefined): Element {
  if (pp_id === undefined) {
    const active = activeIn(page.top);
    if (isWidget(roleOf(active)))
      throw invalidArguments(`${page.show(active)} has the focus`, "name the element that takes the key by `pp_id`", "pp_id");
    permit(page, active);
    return active;
  }
  const element = page.element(pp_id);
  const name = page.show(element);
  hitPointOf(page, view, element);
  if (focusOn(element as HTMLElement)) return element;
  throw denied(`${name} takes no keys: it cannot have the focus`, "use `click`, or press the key on an element in it");
}

/** The element with the focus, through shadow trees and frames. */
function activeIn(top: Document): Element {
  let active: Element = top.activeElement ?? top.body;
  for (;;) {
    const inner = shadowOf(active)?.activeElement ?? documentIn(active)?.activeElement;
    if (!inner || inner === active) return active;
    active = inner;
  }
}

type Effect = string | null;

/** Presses and releases a key; the effect, and whether the page left that to the browser. */
async function pressed(page: PageState, element: Element, key: Key, guard: SubmitGuard): Promise<[Effect, boolean]> {
  let isFree = keyDown(element, key);
  // The page may have taken the element out, or the focus away, so that the key is for another one.
  const holds = (): boolean => isConnected(element) && !isDisabled(element) && activeIn(page.top) === element;
  const act = isFree && holds() ? defaultAction(page, element, key, guard) : undefined;
  let effect: Effect = null;
  if (act && key.key !== " ") effect = await act();
  isFree = keyUp(isConnected(element) ? element : page.top.body, key) && isFree;
  if (act && key.key === " " && isFree && holds()) effect = await act();
  return [effect, isFree];
}

/** Returns a function that does on a key as a browser does; undefined if no script can do that. */
function defaultAction(page: PageState, element: Element, key: Key, guard: SubmitGuard): (() => Effect | Promise<Effect>) | undefined {
  const plain = key.modifiers.length === 0;
  const shifted = key.modifiers.every((modifier) => modifier === "Shift");
  if (key.key === "Tab" && shifted) return () => moveFocus(page, element, !plain);
  if (key.key === "Escape" && plain) return () => escape(page);
  if (isTextField(element) || isEditable(element)) {
    if (key.key === "Enter" && shifted && tagOf(element) === "input") return () => submitted(page, element, guard);
    const edit = shifted ? editOf(key, element) : undefined;
    if (edit) return isReadonly(element) ? undefined : () => edited(element, ...edit);
    return plain && isTextField(element) ? caretMove(element as HTMLInputElement, key.key) : undefined;
  }
  if (!plain) return undefined;
  if (key.key === "Enter" && is(element, "input:not([type=button i],[type=submit i],[type=reset i],[type=image i],[type=file i])"))
    return () => submitted(page, element, guard);
  const isPressed = is(element, key.key === "Enter" ? `${PRESSED},a[*|href],area[href]` : `${PRESSED},input[type=checkbox i],input[type=radio i]`);
  if ((key.key === "Enter" || key.key === " ") && isPressed) return () => activated(element);
  return valueMove(page, element, key.key) ?? scrollMove(page, element, key.key);
}

/** Elements that Enter and Space press. */
const PRESSED = "button,summary,input[type=button i],input[type=submit i],input[type=reset i],input[type=image i]";

function activated(element: Element): Effect {
  const view = viewOf(element);
  if (view) element.dispatchEvent(new view.PointerEvent("click", { bubbles: true, cancelable: true, composed: true, view }));
  return "which pressed it";
}

async function submitted(page: PageState, field: Element, guard: SubmitGuard): Promise<Effect> {
  if (!(field as HTMLInputElement).form) return null;
  guard.check(field, isSecret(field), submitButtonOf(field), true);
  return submitFrom(page, field, guard);
}

function moveFocus(page: PageState, element: Element, back: boolean): Effect {
  const { entries, modal } = page.read();
  const stops = entries
    .map((entry) => entry.element as HTMLElement)
    .filter((one) => one === element || (one.tabIndex >= 0 && !isDisabled(one) && (!modal || isInside(one, modal))));
  const at = stops.indexOf(element as HTMLElement);
  const next = back ? stops.slice(0, Math.max(0, at)).reverse() : stops.slice(at + 1);
  const focused = next.find((one) => focusOn(one));
  return focused ? `which moved the focus to \`${page.show(focused)}\`` : null;
}

// Text.

const isTextField = (element: Element): boolean =>
  tagOf(element) === "textarea" || (tagOf(element) === "input" && /^(text|search|tel|url|password|email|number)$/.test((element as HTMLInputElement).type));

/** The type of the input and its text, of a key that edits. */
function editOf(key: Key, element: Element): [string, string] | undefined {
  if (isPrintable(key)) return ["insertText", key.key];
  if (key.key === "Backspace") return ["deleteContentBackward", ""];
  if (key.key === "Delete") return ["deleteContentForward", ""];
  if (key.key !== "Enter") return undefined;
  return isEditable(element) && key.modifiers.length === 0 ? ["insertParagraph", ""] : ["insertLineBreak", "\n"];
}

const COMMANDS: Record<string, string> = {
  insertText: "insertText", insertParagraph: "insertParagraph", insertLineBreak: "insertLineBreak",
  deleteContentBackward: "delete", deleteContentForward: "forwardDelete",
};

function edited(element: Element, type: string, text: string): Effect {
  const data = type === "insertText" ? text : null;
  if (!fireBeforeInput(element, data, type)) return "";
  if (isEditable(element)) {
    const done = viewOf(element)?.document.execCommand(COMMANDS[type] ?? "", false, text);
    return done ? "" : null;
  }
  const field = element as HTMLInputElement;
  const { value, maxLength } = field;
  let [start, end] = [field.selectionStart ?? value.length, field.selectionEnd ?? value.length];
  if (start === end && type === "deleteContentBackward") start = Math.max(0, start - 1);
  if (start === end && type === "deleteContentForward") end = Math.min(value.length, end + 1);
  const next = value.slice(0, start) + text + value.slice(end);
  if (next === value || (maxLength >= 0 && next.length > maxLength && next.length > value.length)) return "which changed nothing";
  setProperty(field, "value", next);
  if (field.selectionStart !== null) field.setSelectionRange(start + text.length, start + text.length);
  fireInput(field, data, type);
  return isMasked(field) ? "" : `which made it \`${field.value.slice(0, 200)}\``;
}

function caretMove(field: HTMLInputElement, key: string): (() => Effect) | undefined {
  const step = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[key];
  const at = field.selectionStart;
  if (step === undefined || at === null) return numberStep(field, key);
  return () => {
    const place = Math.min(field.value.length, Math.max(0, at + step));
    field.setSelectionRange(place, place);
    return "which moved the cursor";
  };
}

// Values and places.

function numberStep(field: HTMLInputElement, key: string): (() => Effect) | undefined {
  const range = field.type === "range";
  if (field.type !== "number" && !range) return undefined;
  const steps = { ArrowUp: 1, ArrowDown: -1, ...(range ? { ArrowRight: 1, ArrowLeft: -1, PageUp: 10, PageDown: -10, Home: -Infinity, End: Infinity } : {}) }[key];
  if (steps === undefined || isReadonly(field)) return undefined;
  return () => {
    const before = field.value;
    if (Number.isFinite(steps)) HTMLInputElement.prototype.stepUp.call(field, steps);
    else setProperty(field, "value", String(steps < 0 ? Number(field.min || 0) : Number(field.max || 100)));
    if (field.value !== before) fireInput(field);
    return isMasked(field) ? "" : `which made it \`${field.value}\``;
  };
}

/** The next choice, or the next step of a number. */
function valueMove(page: PageState, element: Element, key: string): (() => Effect) | undefined {
  const by = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1, Home: -Infinity, End: Infinity }[key];
  if (tagOf(element) === "input" && (element as HTMLInputElement).type === "range") return numberStep(element as HTMLInputElement, key);
  if (by === undefined) return undefined;
  if (tagOf(element) === "select" && !(element as HTMLSelectElement).multiple) {
    const select = element as HTMLSelectElement;
    return () => {
      const open = [...select.options].map((option, index) => ({ option, index })).filter(({ option }) => !option.disabled && isShownOption(option));
      const at = open.findIndex(({ index }) => index === select.selectedIndex);
      const next = open[Math.min(open.length - 1, Math.max(0, at + by))];
      if (!next) return null;
      const chosen = chooseOptions(page, select, next.index);
      return isMasked(select) ? "" : `which chose \`${chosen}\``;
    };
  }
  if (is(element, "input[type=radio i]") && Number.isFinite(by)) {
    return () => {
      const group = groupOf(element).filter((one) => !isDisabled(one) && isShown(one));
      const next = group[(group.indexOf(element) + by + group.length) % group.length];
      if (!next || next === element) return null;
      permit(page, next);
      focusOn(next as HTMLElement);
      activated(next);
      return `which chose \`${page.show(next)}\``;
    };
  }
  return undefined;
}

const isShownOption = (option: HTMLOptionElement): boolean => !option.hidden && option.parentElement?.hidden !== true;

const LINE_PX = 40;

/** The keys that scroll, where nothing else takes them. */
function scrollMove(page: PageState, element: Element, key: string): (() => Effect) | undefined {
  const page_part = { PageDown: 0.8, PageUp: -0.8, " ": 0.8 }[key];
  const across = key === "ArrowLeft" || key === "ArrowRight";
  const lines = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[key];
  const end = { Home: -1, End: 1 }[key];
  if (page_part === undefined && lines === undefined && end === undefined) return undefined;
  return () => {
    const box = boxAround(page, element === page.top.body ? null : element, across);
    const by = page_part !== undefined ? box.clientHeight * page_part : lines !== undefined ? lines * LINE_PX : (end ?? 0) * box.scrollHeight;
    const before = box.scrollTop + box.scrollLeft;
    box.scrollBy({ [across ? "left" : "top"]: by, behavior: "instant" });
    const moved = Math.round(Math.abs(box.scrollTop + box.scrollLeft - before));
    return moved > 0 ? `which scrolled ${moved} px` : "which scrolled nothing";
  };
}

// Dialogs.

/** Closes the dialog that a browser closes on Escape; the effect is null if there is none. */
function escape(page: PageState): Effect {
  const dialog = page.read().modal;
  if (dialog && is(dialog, "dialog:modal")) return cancelled(dialog as HTMLDialogElement) ? "which closed the dialog" : "";
  if (!CSS.supports("selector(:popover-open)")) return null;
  const popover = all(page.top, "[popover]:popover-open").findLast((one) => attr(one, "popover") !== "manual");
  if (!popover) return null;
  HTMLElement.prototype.hidePopover.call(popover);
  return "which closed what had popped up";
}

/** Cancels a dialog as Escape does; false if the page keeps it open. */
function cancelled(dialog: HTMLDialogElement): boolean {
  const view = viewOf(dialog);
  if (!view || attr(dialog, "closedby") === "none") return false;
  if (!dialog.dispatchEvent(new view.Event("cancel", { cancelable: true }))) return false;
  if (isConnected(dialog) && is(dialog, "[open]")) HTMLDialogElement.prototype.close.call(dialog);
  return true;
}

/** Closes a dialog of the page without accepting it. */
export function answerDialog(page: PageState, { accept }: { accept: boolean }): Promise<Reply> {
  return outcomeOf(page, async (view, departure) => {
    const open = view.entries.filter(({ info }) => info.role.endsWith("dialog")).map(({ element }) => element);
    const dialog = view.modal ?? open.at(-1);
    if (!dialog) throw invalidArguments("no dialog is open", "take a new snapshot");
    const name = page.show(dialog);
    if (accept !== false) {
      const buttons = view.entries.filter(({ element, info }) => info.role === "button" && isInside(element, dialog));
      const help = buttons.length > 0 ? `\`click\` the one that is meant: ${listed(buttons)}` : "it has no buttons: look at the page";
      throw invalidArguments(`${name} is a part of the page, with controls of its own`, help, "accept");
    }
    permit(page, dialog);
    if (tagOf(dialog) === "dialog") cancelled(dialog as HTMLDialogElement);
    else escapeIn(page, dialog);
    await settle(page, departure);
    if (isConnected(dialog) && isShown(dialog)) throw denied(`${name} stays open: the page does not let it be closed like this`, "`click` a button in it");
    return { did: `closed \`${name}\`` };
  });
}

/** Presses Escape in a dialog that is made of other elements. */
function escapeIn(page: PageState, dialog: Element): void {
  const key = keyOf("Escape");
  const active = activeIn(page.top);
  const target = isInside(active, dialog) ? active : dialog;
  if (!key) return;
  keyDown(target, key);
  keyUp(isConnected(target) ? target : (rootOf(dialog) as Document).body ?? dialog, key);
}
