/** The JSON Schema of a form's parameters, identical to Chromium's, byte by byte. */
import { attribute, type Control } from "./form_controls.ts";
import { kindOf, parametersOf, strip, type Kind } from "./form_parameters.ts";

type Schema = Record<string, unknown>;

const TIME = "([01][0-9]|2[0-3]):[0-5][0-9]";
const MONTH = "[0-9]{4}-(0[1-9]|1[0-2])";
/** Patterns of the texts for which a browser may lack a control. */
export const FORMATS = {
  month: `^${MONTH}$`,
  week: "^[0-9]{4}-W(0[1-9]|[1-4][0-9]|5[0-3])$",
};
const DATE_HINT = "Dates MUST be provided in 'YYYY-MM-DD' format.";

/** The schema as JSON text. */
export function schemaOf(form: HTMLFormElement): string {
  const properties: string[] = [];
  const required: string[] = [];
  for (const [name, controls] of parametersOf(form)) {
    const kind = kindOf(controls);
    if (!kind) continue;
    // Joined as text, because an object would drop `__proto__`.
    properties.push(`${JSON.stringify(name)}:${JSON.stringify(propertyOf(kind, controls))}`);
    if (controls.some((control) => control.required)) required.push(name);
  }
  return `{"type":"object","properties":{${properties.join()}},"required":${JSON.stringify(required)}}`;
}

function propertyOf(kind: Kind, controls: readonly Control[]): Schema {
  const [control] = controls as [Control];
  const schema = typeOf(kind, controls, control);
  const title = attribute(control, "toolparamtitle");
  if (title) schema["title"] = title;
  const described = controls.length === 1 ? descriptionOf(control) : "";
  const hint = kind === "date" ? (described ? ` (${DATE_HINT})` : DATE_HINT) : "";
  if (described || hint) schema["description"] = described + hint;
  return schema;
}

function typeOf(kind: Kind, controls: readonly Control[], control: Control): Schema {
  switch (kind) {
    case "text":
      return { type: "string", ...patternOf(control) };
    case "number":
      return { type: "number", ...boundsOf(control, null, null), ...patternOf(control) };
    case "range":
      return { type: "number", ...boundsOf(control, 0, 100) };
    case "checkbox":
      return controls.length === 1 ? { type: "boolean" } : severalOf(choicesOf(controls));
    case "radio":
      return choicesOf(controls);
    case "select":
      return control.multiple ? severalOf(optionsOf(control)) : optionsOf(control);
    case "color":
      return { type: "string", format: "^#[0-9a-zA-Z]{6}$" };
    case "date":
      return { type: "string", format: "date" };
    case "time":
      return { type: "string", format: `^${TIME}${secondsOf(control)}$` };
    case "datetime-local":
      return { type: "string", format: `^${MONTH}-[0-9]{2}T${TIME}${secondsOf(control)}$` };
    case "month":
    case "week":
      return { type: "string", format: FORMATS[kind] };
  }
}

function patternOf(control: Control): Schema {
  const pattern = control.localName === "input" && control.type !== "hidden" ? attribute(control, "pattern") : null;
  if (pattern === null) return {};
  try {
    void new RegExp(pattern, "v");
    return { pattern };
  } catch {
    return {};
  }
}

/** The bounds and the step; a range always has both bounds, and a step even with `any`. */
function boundsOf(control: Control, lowest: number | null, highest: number | null): Schema {
  const read = (name: string) => numberOf(attribute(control, name));
  const minimum = read("min") ?? lowest;
  let maximum = read("max") ?? highest;
  const isRange = lowest !== null;
  if (isRange && maximum !== null) maximum = Math.max(maximum, minimum ?? lowest);
  const bounds = { ...(minimum !== null && { minimum }), ...(maximum !== null && { maximum }) };
  if (!isRange && attribute(control, "step")?.toLowerCase() === "any") return bounds;
  const step = stepOf(control) ?? 1;
  // Steps count from the minimum or the initial value, so not all multiples may be allowed.
  const base = read("min") ?? read("value") ?? 0;
  return isMultiple(base, step) ? { ...bounds, multipleOf: step } : bounds;
}

function stepOf(control: Control): number | null {
  const step = numberOf(attribute(control, "step"));
  return step !== null && step > 0 ? step : null;
}

/** The pattern of a time after its minutes. */
function secondsOf(control: Control): string {
  const milliseconds = Math.round((stepOf(control) ?? 60) * 1000);
  if (milliseconds < 1000) return "(:[0-5][0-9](\\.[0-9]{1,3})?)?";
  return milliseconds < 60_000 ? "(:[0-5][0-9])?" : "";
}

function choicesOf(controls: readonly Control[]): Schema {
  return oneOf(
    controls.map((control) => {
      const title = labelText(control);
      return { type: "string", const: control.value, ...(title && { title }) };
    }),
  );
}

function optionsOf(select: Control): Schema {
  return oneOf(
    Array.from(select.options).map((option) => ({ type: "string", const: option.value, title: option.textContent })),
  );
}

function oneOf(choices: { const: string }[]): Schema {
  return { type: "string", anyOf: choices, enum: choices.map((choice) => choice.const) };
}

function severalOf(items: Schema): Schema {
  return { type: "array", items, uniqueItems: true };
}

/** The description of a control: its own attribute, its labels, or `aria-description`. */
function descriptionOf(control: Control): string {
  return (
    attribute(control, "toolparamdescription") || labelText(control) || attribute(control, "aria-description") || ""
  );
}

/** The texts of all labels, without the controls inside them. */
function labelText(control: Control): string {
  // Firefox keeps the labels of a former id.
  const labels = [...(control.labels ?? [])].filter((label) => label.control === control);
  return labels.map((label) => strip(ownText(label))).join("; ");
}

function ownText(node: Node): string {
  if (node.nodeType === 3 || node.nodeType === 4) return node.nodeValue ?? "";
  if (node.nodeType !== 1 || isLabelable(node as Element)) return "";
  return Array.from(node.childNodes).map(ownText).join("");
}

function isLabelable(element: Element): boolean {
  const { localName } = element;
  if (localName.includes("-")) {
    return (element.constructor as { formAssociated?: boolean }).formAssociated === true;
  }
  return /^(button|input|meter|output|progress|select|textarea)$/.test(localName);
}

/** Significant digits of decimals in attributes, so that a step of 0.1 divides 0.3. */
const DIGITS = 15;
/** Relative error up to which a quotient counts as a whole number. */
const TOLERANCE = 1e-14;

/** The number of an attribute; null when it is not a number. */
function numberOf(text: string | null): number | null {
  const number = /^-?(\d+|\d*\.\d+)(e[+-]?\d+)?$/i.test(text ?? "") ? Number(text) : NaN;
  if (!Number.isFinite(number)) return null;
  return Number.isInteger(number) ? number : Number(number.toPrecision(DIGITS));
}

/** Whether a number is a whole multiple of the step. */
function isMultiple(number: number, step: number): boolean {
  const quotient = Math.abs(number / step);
  return Math.abs(quotient - Math.round(quotient)) <= TOLERANCE * Math.max(1, quotient) || number === 0;
}
