/** Describes forms: each field in detail, and the buttons. */
import { HIDDEN, isIgnored, isMasked } from "../../base/agent_access.ts";
import { descriptionOf, labelOf, nameOf, wordsOf } from "../read/accessible_names.ts";
import { isField, roleOf } from "../read/aria_roles.ts";
import { isDisabled, isReadonly, optionElements, optionText, valueOf } from "../read/element_states.ts";
import { all, attr, formAround, has, is, query, rootOf, tagOf } from "../read/nodes.ts";
import { actionOf, defaultButtonOf } from "../touch/form_submission.ts";
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
  /** All names by which `enter_data` finds it. */
  found_by?: FieldNames;
}

interface FieldNames {
  label: string[];
  name: string[];
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
  /** The button that submits it after its fields were filled in. */
  default_button?: Button;
  /** The fields that a GET form sends in its address and the page does not show. */
  hidden?: Parameter[];
}

interface Parameter {
  name: string;
  value: string;
}

interface Button {
  pp_id: number;
  text: string;
  type: string;
  disabled: boolean;
  /** Where this button submits the form, if not to the form's own address. */
  action?: string | null;
  method?: string;
  /** The value that it adds to the form. */
  sends?: Parameter;
  scripted?: true;
}

/** @param complete Whether to add hidden parts, by which the use of a form is judged. */
export function formDetails(page: PageState, { pp_id, complete }: { pp_id?: number; complete?: boolean }): FormInfo[] {
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
  const found = [...forms].map(([form, entries]) => formInfo(page, view, form, entries));
  if (complete === true) [...forms].forEach(([form, entries], i) => complement(page, found[i] as FormInfo, form, entries));
  return found;
}

function formInfo(page: PageState, view: View, form: HTMLFormElement | null, entries: Entry[]): FormInfo {
  const buttons = entries.filter(isButton).map(({ element, info }) => buttonInfo(element, form, info.id, info.name));
  const known = form && view.entries.find(({ element }) => element === form);
  return {
    pp_id: form ? (known?.info.id ?? page.numbers.of(form)) : null,
    name: form ? nameOf(form, "form").text || headingIn(form) || (attr(form, "name") ?? attr(form, "id") ?? "") : "",
    action: form ? actionOf(form, attr(form, "action")) : null,
    method: form ? methodOf(attr(form, "method")) : null,
    ...(form && isScripted(form) ? { scripted: true as const } : {}),
    fields: fieldsOf(entries.filter(({ info }) => isField(info.role)), form, searchFieldIn(view)?.element),
    buttons,
  };
}

/** Adds hidden parts: the button that Enter presses, hidden fields, further names of fields. */
function complement(page: PageState, info: FormInfo, form: HTMLFormElement | null, entries: readonly Entry[]): void {
  for (const { element, info: { id } } of entries) {
    const field = info.fields.find((one) => one.pp_id === id || one.options?.some((choice) => choice.pp_id === id));
    if (field) field.found_by = mergedNames(field.found_by, namesOf(element));
    const button = info.buttons.find(({ pp_id }) => pp_id === id);
    if (button && attr(element, "name")) button.sends = parameterOf(element);
  }
  const pressed = form && defaultButtonOf(form);
  if (pressed) {
    const id = page.numbers.of(pressed);
    info.default_button = info.buttons.find(({ pp_id }) => pp_id === id) ?? buttonInfo(pressed, form, id, nameOf(pressed, "button").text);
  }
  if (form && [info.method, ...info.buttons.map(({ method }) => method)].includes("get")) info.hidden = hiddenFieldsOf(form);
}

/** Whether it may submit a form, whatever its role is. */
function isButton({ element, info }: Entry): boolean {
  return info.role === "button" || is(element, "button,input[type=submit i],input[type=image i]");
}

function buttonInfo(element: Element, form: HTMLFormElement | null, pp_id: number, text: string): Button {
  const { type, form: owner } = element as HTMLButtonElement;
  const action = attr(element, "formaction");
  const method = attr(element, "formmethod");
  return {
    pp_id,
    text,
    // A button in the shadow tree of a component is in no form, and works by a script.
    type: (owner === form && type) || "button",
    disabled: isDisabled(element),
    ...(action === null ? {} : { action: actionOf(element, action) }),
    ...(method === null ? {} : { method: methodOf(method) }),
    ...(isScripted(element) ? { scripted: true as const } : {}),
  };
}

/** The hidden fields that a form sends, without those that agents do not see. */
function hiddenFieldsOf(form: HTMLFormElement): Parameter[] {
  const fields = query(rootOf(form), "input[type=hidden i][name]") as HTMLInputElement[];
  return fields.filter((field) => field.form === form && attr(field, "name") && !isDisabled(field) && !isIgnored(field)).map(parameterOf);
}

/** The value of a hidden field or a button, as an agent may see it. */
function parameterOf(element: Element): Parameter {
  const name = attr(element, "name") ?? "";
  return { name, value: isMasked(element) ? HIDDEN : (element as HTMLInputElement).value };
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

/** All names by which `enter_data` finds a field (`touch/form_fields.ts`). */
function namesOf(field: Element): FieldNames {
  const given = (...names: string[]) => names.map((name) => attr(field, name));
  const label = [nameOf(field, roleOf(field)).text, labelOf(field), ...given("aria-label", "placeholder", "title")];
  const isGiven = (name: string | null): name is string => !!name;
  return { label: label.filter(isGiven), name: given("name", "id").filter(isGiven) };
}

const mergedNames = (known: FieldNames = { label: [], name: [] }, more: FieldNames): FieldNames => ({
  label: [...new Set([...known.label, ...more.label])],
  name: [...new Set([...known.name, ...more.name])],
});

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
