/** Values and states of elements. */
import { accessOf, HIDDEN, isIgnored, isMasked, READONLY } from "../../base/agent_access.ts";
import { isEditable, isField } from "./aria_roles.ts";
import { all, attr, has, is, rootOf, tagOf, textOf, viewOf } from "./nodes.ts";
import { line } from "./page_text.ts";

const MOST_OPTIONS = 50;

/** @param rect The element's box. */
export function statesOf(element: Element, role: string, rect: DOMRect): string[] {
  const states: string[] = [];
  const aria = (name: string): string | null => attr(element, `aria-${name}`);
  const add = (state: string, holds: boolean): void => void (holds && states.push(state));
  const tag = tagOf(element);
  const native = /^(input|select|textarea|button)$/.test(tag);
  const masked = isMasked(element);
  add("disabled", isDisabled(element));
  if (!masked && /^(checkbox|radio|switch|menuitemcheckbox|menuitemradio)$/.test(role)) {
    const input = tag === "input" ? (element as HTMLInputElement) : null;
    add("mixed", input ? input.indeterminate : aria("checked") === "mixed");
    add("checked", input ? input.checked && !input.indeterminate : aria("checked") === "true");
  }
  add("selected", !masked && aria("selected") === "true");
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
  add("pressed", !masked && aria("pressed") === "true");
  add("offscreen", isOffscreen(element, rect));
  return states;
}

export function isDisabled(element: Element): boolean {
  return is(element, ":disabled") || attr(element, "aria-disabled") === "true";
}

/** Whether a field is read-only, by itself or for agents. */
export function isReadonly(element: Element): boolean {
  if (attr(element, "aria-readonly") === "true" || accessOf(element) & READONLY) return true;
  const { type } = element as HTMLInputElement;
  return (
    /^(input|textarea)$/.test(tagOf(element)) &&
    has(element, "readonly") &&
    !/^(checkbox|radio|range|color|file)$/.test(type)
  );
}

function isOffscreen(element: Element, { top, left, bottom, right }: DOMRect): boolean {
  const view = viewOf(element);
  if (!view) return true;
  return bottom <= 0 || right <= 0 || top >= view.innerHeight || left >= view.innerWidth;
}

/** The value of a field as an agent may see it; undefined for elements without a value. */
export function valueOf(element: Element, role: string): string | undefined {
  const value = realValue(element, role);
  return value && isMasked(element) ? HIDDEN : value;
}

function realValue(element: Element, role: string): string | undefined {
  if (!isField(role) || /^(checkbox|radio|switch)$/.test(role)) return undefined;
  const tag = tagOf(element);
  if (tag === "select") {
    return line(open((element as HTMLSelectElement).selectedOptions).map(optionText).join(", "));
  }
  if (tag === "input" && (element as HTMLInputElement).type === "file") {
    return line(Array.from((element as HTMLInputElement).files ?? []).map((file) => file.name).join(", "));
  }
  if (tag === "input" || tag === "textarea") {
    return line((element as HTMLInputElement).value);
  }
  const value = attr(element, "aria-valuetext") ?? attr(element, "aria-valuenow");
  if (value !== null) return line(value);
  if (role === "listbox")
    return line(
      all(element, "[aria-selected=true]")
        .map((option) => textOf(option))
        .join(", "),
    );
  return isEditable(element) || role === "combobox" ? line(textOf(element)) : undefined;
}

/** The options of a list; undefined when it has none, or an agent may not see them. */
export function optionsOf(element: Element): string[] | undefined {
  const options = optionElements(element)?.slice(0, MOST_OPTIONS);
  if (tagOf(element) === "select") return options?.map(optionText);
  return options?.map((option) => (isMasked(option) ? HIDDEN : line(option.value || option.label, 80)));
}

/** The options that an agent may see, of a list or of the suggestions of a field. */
export function optionElements(element: Element): HTMLOptionElement[] | undefined {
  if (isMasked(element)) return undefined;
  const list = tagOf(element) === "select" ? element : tagOf(element) === "input" ? (element as HTMLInputElement).list : null;
  return list ? open((list as HTMLSelectElement).options) : undefined;
}

const open = (options: Iterable<HTMLOptionElement>): HTMLOptionElement[] => [...options].filter((option) => !isIgnored(option));

/** The text of an option as an agent may see it. */
export function optionText(option: HTMLOptionElement): string {
  return isMasked(option) ? HIDDEN : optionLabel(option);
}

/** The text of an option, masked or not, by which it is chosen. */
export function optionLabel(option: HTMLOptionElement): string {
  return line(option.label || option.text || option.value, 80);
}
