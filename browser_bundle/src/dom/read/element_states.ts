/** Values and states of elements. */
import { isEditable, isField } from "./aria_roles.ts";
import { all, attr, has, is, rectOf, rootOf, tagOf, textOf, viewOf } from "./nodes.ts";
import { line } from "./page_text.ts";

/** In place of a secret value. */
const SECRET_MARK = "•••";
const MOST_OPTIONS = 50;

/** Whether a field's value is secret. */
export function isSecret(field: Element): boolean {
  return (
    tagOf(field) === "input" &&
    ((field as HTMLInputElement).type === "password" ||
      /\b(cc-(number|csc|exp(-month|-year)?)|one-time-code|current-password|new-password)\b/i.test(attr(field, "autocomplete") ?? ""))
  );
}

export function statesOf(element: Element, role: string): string[] {
  const states: string[] = [];
  const aria = (name: string): string | null => attr(element, `aria-${name}`);
  const add = (state: string, holds: boolean): void => void (holds && states.push(state));
  const tag = tagOf(element);
  const native = /^(input|select|textarea|button)$/.test(tag);
  add("disabled", isDisabled(element));
  if (/^(checkbox|radio|switch|menuitemcheckbox|menuitemradio)$/.test(role)) {
    const input = tag === "input" ? (element as HTMLInputElement) : null;
    add("mixed", input ? input.indeterminate : aria("checked") === "mixed");
    add("checked", input ? input.checked && !input.indeterminate : aria("checked") === "true");
  }
  add("selected", aria("selected") === "true");
  const details = tag === "summary" ? element.parentElement : null;
  const expanded = details ? String(has(details, "open")) : aria("expanded");
  add("expanded", expanded === "true");
  add("collapsed", expanded === "false");
  if (isField(role)) {
    add("required", (native && has(element, "required")) || aria("required") === "true");
    add("readonly", isReadonly(element));
    add("invalid", /^(true|grammar|spelling)$/.test(aria("invalid") ?? "") || (native && is(element, ":user-invalid")));
  }
  add("focused", rootOf(element).activeElement === element && tag !== "body");
  add("current", !/^(false)?$/.test(aria("current") ?? ""));
  add("pressed", aria("pressed") === "true");
  add("offscreen", isOffscreen(element));
  return states;
}

export function isDisabled(element: Element): boolean {
  return is(element, ":disabled") || attr(element, "aria-disabled") === "true";
}

/** Whether a field is read-only. */
export function isReadonly(element: Element): boolean {
  if (attr(element, "aria-readonly") === "true") return true;
  const { type } = element as HTMLInputElement;
  return (
    /^(input|textarea)$/.test(tagOf(element)) &&
    has(element, "readonly") &&
    !/^(checkbox|radio|range|color|file)$/.test(type)
  );
}

function isOffscreen(element: Element): boolean {
  const view = viewOf(element);
  if (!view) return true;
  const { top, left, bottom, right } = rectOf(element);
  return bottom <= 0 || right <= 0 || top >= view.innerHeight || left >= view.innerWidth;
}

/** The value of a field; undefined for elements without a value. */
export function valueOf(element: Element, role: string): string | undefined {
  if (!isField(role) || /^(checkbox|radio|switch)$/.test(role)) return undefined;
  const tag = tagOf(element);
  if (tag === "select") {
    const chosen = Array.from((element as HTMLSelectElement).selectedOptions, optionText);
    return line(chosen.join(", "));
  }
  if (tag === "input" && (element as HTMLInputElement).type === "file") {
    return line(Array.from((element as HTMLInputElement).files ?? [], (file) => file.name).join(", "));
  }
  if (tag === "input" || tag === "textarea") {
    const { value } = element as HTMLInputElement;
    return value && isSecret(element) ? SECRET_MARK : line(value);
  }
  const told = attr(element, "aria-valuetext") ?? attr(element, "aria-valuenow");
  if (told !== null) return line(told);
  if (role === "listbox")
    return line(
      all(element, "[aria-selected=true]")
        .map((option) => textOf(option))
        .join(", "),
    );
  return isEditable(element) || role === "combobox" ? line(textOf(element)) : undefined;
}

/** The options of a list. */
export function optionsOf(element: Element): string[] | undefined {
  if (tagOf(element) === "select") {
    return Array.from((element as HTMLSelectElement).options)
      .slice(0, MOST_OPTIONS)
      .map(optionText);
  }
  const list = tagOf(element) === "input" ? (element as HTMLInputElement).list : null;
  if (list)
    return Array.from(list.options)
      .slice(0, MOST_OPTIONS)
      .map((option) => line(option.value || option.label, 80));
  return undefined;
}

export function optionText(option: HTMLOptionElement): string {
  return line(option.label || option.text || option.value, 80);
}
