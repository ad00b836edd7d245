/** The parameters of a form's tool: its controls by name, and their kind, which decides schema and values. */
import { attribute, controlsOf, type Control } from "./form_controls.ts";

export type Kind =
  | "text" | "number" | "range" | "checkbox" | "radio" | "select" | "color"
  | "date" | "time" | "datetime-local" | "month" | "week";

const TEXTS = /^(text|search|url|tel|email|password)$/;
const OTHERS = /^(number|range|checkbox|radio|color|date|time|datetime-local|month|week)$/;
/** Kinds of which several controls may share a name. */
const GROUPS = /^(checkbox|radio)$/;
const NEVER_READ_ONLY = /^(checkbox|radio|range|color)$/;

/** The controls that a caller can set, by parameter, in tree order. */
export function parametersOf(form: HTMLFormElement): Map<string, Control[]> {
  const parameters = new Map<string, Control[]>();
  for (const control of controlsOf(form)) {
    if (isLeftOut(control)) continue;
    const name = strip(attribute(control, "name") ?? "");
    const known = parameters.get(name);
    if (known) known.push(control);
    else parameters.set(name, [control]);
  }
  return parameters;
}

/** The kind of a parameter; null when a tool cannot set it. */
export function kindOf(controls: readonly Control[]): Kind | null {
  const [kind, ...others] = controls.map(kindOfControl);
  if (!kind || (others.length > 0 && !GROUPS.test(kind))) return null;
  return others.every((other) => other === kind) ? kind : null;
}

function kindOfControl(control: Control): Kind | null {
  if (control.localName === "select") return "select";
  if (control.localName === "textarea") return "text";
  if (control.localName !== "input") return null;
  if (control.type === "hidden") return attribute(control, "toolparamdescription") ? "text" : null;
  if (TEXTS.test(control.type)) return writtenKind(control) ?? "text";
  return OTHERS.test(control.type) ? (control.type as Kind) : null;
}

/** The intended kind of a field that the browser treats as text; Firefox lacks these two. */
function writtenKind(control: Control): Kind | null {
  const type = attribute(control, "type")?.toLowerCase();
  return type === "month" || type === "week" ? type : null;
}

function isLeftOut(control: Control): boolean {
  const { localName } = control;
  if (localName === "fieldset") return false;
  if (localName === "object" || control.matches(":disabled")) return true;
  // Form-associated custom elements take part only with a name.
  if (localName.includes("-")) return !attribute(control, "name");
  const writable = localName === "input" && NEVER_READ_ONLY.test(control.type);
  return !writable && control.readOnly === true;
}

/** The text without surrounding white space; a no-break space counts as text. */
export function strip(text: string): string {
  return text.replace(/^[\t-\r \u1680\u2000-\u200a\u2028\u205f\u3000]+|[\t-\r \u1680\u2000-\u200a\u2028\u205f\u3000]+$/g, "");
}
