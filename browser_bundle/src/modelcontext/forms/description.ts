/** What a control says about itself: its own attribute, its labels, or `aria-description`. */
import { attribute, type Control } from "./form_controls.ts";
import { strip } from "./form_parameters.ts";

export function descriptionOf(control: Control): string {
  return (
    attribute(control, "toolparamdescription") || labelText(control) || attribute(control, "aria-description") || ""
  );
}

/** The texts of all labels, without the controls that are in them. */
export function labelText(control: Control): string {
  // Firefox keeps those of an id that the control had.
  const labels = [...(control.labels ?? [])].filter((label) => label.control === control);
  return labels.map((label) => strip(ownText(label))).join("; ");
}

function ownText(node: Node): string {
  if (node.nodeType === 3 || node.nodeType === 4) return node.nodeValue ?? "";
  if (node.nodeType !== 1 || isLabelable(node as Element)) return "";
  return Array.from(node.childNodes, ownText).join("");
}

function isLabelable(element: Element): boolean {
  const { localName } = element;
  if (localName.includes("-")) {
    return (element.constructor as { formAssociated?: boolean }).formAssociated === true;
  }
  return /^(button|input|meter|output|progress|select|textarea)$/.test(localName);
}
