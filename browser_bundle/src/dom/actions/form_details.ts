/** Describes forms: each field in detail, and the buttons. */
import { HIDDEN, isMasked } from "../../base/agent_access.ts";
import { descriptionOf, nameOf, wordsOf } from "../read/accessible_names.ts";
import { isField } from "../read/aria_roles.ts";
import { isDisabled, isReadonly, optionElements, optionText, valueOf } from "../read/element_states.ts";
import { all, attr, formAround, has, is, tagOf } from "../read/nodes.ts";
import { actionOf } from "../touch/form_submission.ts";
import { isScripted, isScriptedField } from "../read/control_traits.ts";
import type { Entry, View } from "../read/page_reader.ts";
import type { PageState } from "../read/page_state.ts";
import { line } from "../read/page_text.ts";
import { invalidArguments } from "../read/protocol.ts";
import { searchFieldIn } from "./site_search.ts";

const MOST_OPTIONS = 100;

interface Choice {
  text: string;
  value: string;
  selected: boolean;
  disabled?: boolean;
  /** Number of a radio button. */
  pp_id?: number;
}

interface Field {
  pp_id: number;
  name: string;
  label: string;
  type: string;
  required: boolean;
  value: string | boolean;
  disabled?: boolean;
  readonly?: boolean;
  options?: Choice[];
  multiple?: boolean;
  placeholder?: string;
  description?: string;
  autocomplete?: string;
  pattern?: string;
  min?: string;
  max?: string;
  step?: string;
  minlength?: string;
  maxlength?: string;
  accept?: string;
  /** The browser's validation message for the value. */
  problem?: string;
  /** Whether it has a script of its own, as far as the markup shows; then it may save at once. */
  scripted?: true;
  /** Whether the action `search` takes this field. */
  site_search?: true;
}

interface FormInfo {
  /** Null for fields outside of a form. */
  pp_id: number | null;
  name: string;
  action: string | null;
  method: string | null;
  /** Whether it has a script of its own, as far as the markup shows. */
  scripted?: true;
  fields: Field[];
  buttons: Button[];
}

interface Button {
  pp_id: number;
  text: string;
  type: string;
  disabled: boolean;
  /** Where this button submits the form, if not to the form's own address. */
  action?: string | null;
  method?: string;
  scripted?: true;
}

export function formDetails(page: PageState, { pp_id }: { pp_id?: number }): FormInfo[] {
  const view = page.read();
  const only = pp_id === undefined ? undefined : (formAround(page.element(pp_id)) ?? undefined);
  if (pp_id !== undefined && !only)
    throw invalidArguments(
      `${page.show(page.element(pp_id))} is not in a form`,
      "leave `pp_id` out for all fields of the page",
      "pp_id",
    );
  const forms = new Map<HTMLFormElement | null, Entry[]>();
  for (const entry of view.entries) {
    const form = isField(entry.info.role) || isButton(entry) ? formAround(entry.element) : undefined;
    if (form === undefined || (only && form !== only)) continue;
    if (form === null && !isField(entry.info.role)) continue;
    forms.set(form, [...(forms.get(form) ?? []), entry]);
  }
  return [...forms].map(([form, entries]) => formInfo(page, view, form, entries));
}

function formInfo(page: PageState, view: View, form: HTMLFormElement | null, entries: Entry[]): FormInfo {
  const buttons = entries.filter(isButton);
  const known = form && view.entries.find(({ element }) => element === form);
  return {
    pp_id: form ? (known?.info.id ?? page.numbers.of(form)) : null,
    name: form ? nameOf(form, "form").text || headingIn(form) || (attr(form, "name") ?? attr(form, "id") ?? "") : "",
    action: form ? actionOf(form, attr(form, "action")) : null,
    method: form ? methodOf(attr(form, "method")) : null,
    ...(form && isScripted(form) ? { scripted: true as const } : {}),
    fields: fieldsOf(entries.filter(({ info }) => isField(info.role)), form, searchFieldIn(view)?.element),
    buttons: buttons.map(buttonInfo),
  };
}

/** Whether it may submit a form, whatever its role is. */
function isButton({ element, info }: Entry): boolean {
  return info.role === "button" || is(element, "button,input[type=submit i],input[type=image i]");
}

function buttonInfo({ element, info }: Entry): Button {
  const action = attr(element, "formaction");
  const method = attr(element, "formmethod");
  return {
    pp_id: info.id,
    text: info.name,
    type: (element as HTMLButtonElement).type || "button",
    disabled: isDisabled(element),
    ...(action === null ? {} : { action: actionOf(element, action) }),
    ...(method === null ? {} : { method: methodOf(method) }),
    ...(isScripted(element) ? { scripted: true as const } : {}),
  };
}

/** How a form is sent; `dialog` sends nothing, and leaves it to a script what happens. */
const methodOf = (method: string | null): string => /^(post|dialog)$/i.exec(method ?? "")?.[0].toLowerCase() ?? "get";

/** The heading or legend of a form, if there is only one. */
function headingIn(form: HTMLFormElement): string {
  const headings = all(form, "h1,h2,h3,h4,legend");
  return headings.length === 1 && headings[0] ? wordsOf(headings[0]) : "";
}

/** The fields; the radio buttons of a group are one field. */
function fieldsOf(entries: readonly Entry[], form: HTMLFormElement | null, search: Element | undefined): Field[] {
  const fields: Field[] = [];
  const groups = new Map<string, Field>();
  for (const { element, info } of entries) {
    const name = attr(element, "name") ?? "";
    const group = info.role === "radio" && name ? groups.get(name) : undefined;
    if (info.role === "radio") {
      const input = element as HTMLInputElement;
      const choice: Choice = {
        text: info.name,
        value: isMasked(element) ? "" : (attr(element, "value") ?? ""),
        selected: !isMasked(element) && isOn(element),
        pp_id: info.id,
      };
      if (isDisabled(element)) choice.disabled = true;
      const isScriptedChoice = isScriptedField(element, form);
      if (group) {
        if (isScriptedChoice) group.scripted = true;
        group.options?.push(choice);
        group.required ||= input.required;
        if (choice.selected) group.value = choice.text;
        continue;
      }
      const field: Field = {
        pp_id: info.id,
        name,
        label: legendOf(element) || name,
        type: "radio",
        required: has(element, "required"),
        value: choice.selected ? choice.text : "",
        options: [choice],
      };
      if (isScriptedChoice) field.scripted = true;
      if (name) groups.set(name, field);
      fields.push(field);
      continue;
    }
    const field = fieldOf(element, info, name);
    if (isScriptedField(element, form)) field.scripted = true;
    if (element === search) field.site_search = true;
    fields.push(field);
  }
  return fields;
}

function fieldOf(element: Element, info: Entry["info"], name: string): Field {
  const tag = tagOf(element);
  const type =
    tag === "input" ? (element as HTMLInputElement).type : tag === "select" || tag === "textarea" ? tag : info.role;
  const checkable = /^(checkbox|switch)$/.test(info.role);
  const field: Field = {
    pp_id: info.id,
    name,
    label: nameOf(element, info.role).text,
    type,
    required: info.states.includes("required"),
    value: checkable ? (isMasked(element) ? HIDDEN : isOn(element)) : (valueOf(element, info.role) ?? ""),
  };
  if (isDisabled(element)) field.disabled = true;
  if (isReadonly(element)) field.readonly = true;
  const options = choicesOf(element);
  if (options) field.options = options;
  if ((element as HTMLSelectElement).multiple) field.multiple = true;
  for (const name of [
    "placeholder",
    "autocomplete",
    "pattern",
    "min",
    "max",
    "step",
    "minlength",
    "maxlength",
    "accept",
  ] as const) {
    const text = attr(element, name);
    if (text) field[name] = line(text);
  }
  const description = descriptionOf(element, field.label);
  if (description) field.description = description;
  const { validationMessage, validity } = element as HTMLInputElement;
  if (validationMessage && !validity.valueMissing && !isMasked(element)) field.problem = line(validationMessage);
  return field;
}

function choicesOf(element: Element): Choice[] | undefined {
  const isSelect = tagOf(element) === "select";
  return optionElements(element)
    ?.slice(0, MOST_OPTIONS)
    .map((option) => ({
      text: optionText(option),
      value: isMasked(option) ? HIDDEN : line(option.value),
      selected: isSelect && option.selected,
      ...(isSelect && option.disabled ? { disabled: true } : {}),
    }));
}

const isOn = (element: Element): boolean =>
  tagOf(element) === "input" ? (element as HTMLInputElement).checked : attr(element, "aria-checked") === "true";

/** The legend of a group of radio buttons. */
function legendOf(radio: Element): string {
  for (let at = radio.parentElement; at; at = at.parentElement) {
    if (tagOf(at) === "fieldset" || attr(at, "role") === "radiogroup") return nameOf(at, "radiogroup").text;
    if (tagOf(at) === "form") break;
  }
  return "";
}
