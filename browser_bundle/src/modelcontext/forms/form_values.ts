/** Fills a form with the values of a call: all of them, or none if one does not fit. */
import { fireInput, setChecked, setValue, type Control } from "./form_controls.ts";
import { kindOf, parametersOf, type Kind } from "./form_parameters.ts";
import { FORMATS } from "./form_schema.ts";

/**
 * Checks the values of a call.
 *
 * Returns a function that fills them in; throws a string that names the value that does not fit.
 */
export function prepareFill(form: HTMLFormElement, input: object): () => void {
  const parameters = parametersOf(form);
  const fills = Object.entries(input).map(([name, value]) => {
    const controls = parameters.get(name);
    if (!controls) throw `Input contains a parameter "${name}" but there is no such parameter for the tool`;
    const kind = kindOf(controls);
    const fill = kind && fillOf(kind, controls, value);
    if (fill) return fill;
    const text = textOf(value);
    throw `Invalid value ${text === null ? "" : `"${text}" `}for parameter ${name}`;
  });
  return () => fills.forEach((fill) => fill());
}

function fillOf(kind: Kind, controls: readonly Control[], value: unknown): (() => void) | null {
  const [control] = controls as [Control];
  if (kind === "select" && control.multiple) {
    const texts = distinct(value, Array.from(control.options).map((option) => option.value));
    return texts && (() => selectAll(control, texts));
  }
  if (kind === "checkbox") {
    if (controls.length === 1) {
      const checked = booleanOf(value);
      return checked === null ? null : () => setChecked(control, checked);
    }
    const texts = distinct(value, controls.map((box) => box.value));
    return texts && (() => controls.forEach((box) => setChecked(box, texts.has(box.value))));
  }
  const text = textOf(value);
  if (text === null) return null;
  if (kind === "radio") {
    const chosen = controls.filter((button) => button.value === text);
    return chosen.length > 0 ? () => chosen.forEach((button) => setChecked(button, true)) : null;
  }
  return fits(kind, control, text) ? () => setValue(control, text) : null;
}

/** Whether the control accepts the text, possibly normalized. */
function fits(kind: Kind, control: Control, text: string): boolean {
  if (kind === "select") return Array.from(control.options).some((option) => option.value === text);
  if (text === "") return kind !== "number" && kind !== "range";
  if (control.localName === "textarea") return true;
  if ((kind === "month" || kind === "week") && control.type === "text") return new RegExp(FORMATS[kind]).test(text);
  const trial = control.ownerDocument.createElement("input");
  trial.type = control.type;
  trial.multiple = control.multiple;
  trial.value = text;
  return trial.value !== "";
}

/** The texts of a list, if they are distinct and all allowed; else null. */
function distinct(value: unknown, allowed: readonly string[]): Set<string> | null {
  if (!Array.isArray(value)) return null;
  const texts = new Set(value.map(textOf));
  return texts.size === value.length && [...texts].every((text) => text !== null && allowed.includes(text))
    ? (texts as Set<string>)
    : null;
}

function selectAll(select: Control, values: Set<string>): void {
  let changed = false;
  for (const option of select.options) {
    const selected = values.has(option.value);
    changed ||= option.selected !== selected;
    option.selected = selected;
  }
  if (changed) fireInput(select);
}

function textOf(value: unknown): string | null {
  return /^(string|number|boolean)$/.test(typeof value) ? String(value) : null;
}

function booleanOf(value: unknown): boolean | null {
  const text = textOf(value)?.toLowerCase() ?? "";
  if (text === "true" || text === "1") return true;
  return text === "false" || text === "0" ? false : null;
}
