/** Submits the form of a field as a person does: by its button, else by Enter. */
import { nameOf } from "../read/accessible_names.ts";
import { roleOf } from "../read/aria_roles.ts";
import { isDisabled } from "../read/element_states.ts";
import { all, formAround, isInside, tagOf } from "../read/nodes.ts";
import type { PageState } from "../read/page_state.ts";
import { line } from "../read/page_text.ts";
import { denied, invalidArguments } from "../read/protocol.ts";
import { isShown } from "../read/visibility.ts";
import { hitPointOf } from "./hit_test.ts";
import { pressKey } from "./input_events.ts";
import { clickAt } from "./pointer.ts";

export async function submitFrom(page: PageState, field: Element): Promise<string> {
  const form = formAround(field);
  if (!form) return pressEnter(page, field);
  const complaints: string[] = [];
  let first = "";
  const onInvalid = (event: Event): void => {
    const control = event.target as HTMLInputElement;
    const name = nameOf(control, roleOf(control)).text || control.name;
    first ||= name;
    complaints.push(`\`${name}\`: ${line(control.validationMessage)}`);
  };
  const root = form.getRootNode();
  root.addEventListener("invalid", onInvalid, true);
  try {
    const button = buttonOf(form);
    const did = button ? pressButton(page, button) : requestFrom(form);
    // Some pages validate after the click.
    await new Promise((resolve) => setTimeout(resolve));
    if (complaints.length > 0) {
      throw invalidArguments(
        `the form was not submitted: ${complaints.slice(0, 10).join("; ")}`,
        "enter what is asked for and submit again",
        first,
      );
    }
    return did;
  } finally {
    root.removeEventListener("invalid", onInvalid, true);
  }
}

/** The button that Enter would press. */
function buttonOf(form: HTMLFormElement): HTMLElement | null {
  const buttons = all(form.getRootNode(), "button,input[type=submit i],input[type=image i]") as HTMLButtonElement[];
  const own = buttons.filter((button) => button.form === form && /^(submit|image)$/.test(button.type));
  const native = own.find(isShown) ?? null;
  if (native) return native;
  // A custom button, if it is the only one.
  const others = all(form, "[type=submit],button").filter((other) => isShown(other) && isInside(other, form));
  return others.length === 1 ? (others[0] as HTMLElement) : null;
}

function pressButton(page: PageState, button: Element): string {
  if (isDisabled(button))
    throw denied(`the form cannot be submitted: ${page.show(button)} is disabled`, "fill in what it waits for first");
  clickAt(hitPointOf(page, { ...page.read(), modal: null }, button));
  return `submitted with \`${page.show(button)}\``;
}

function requestFrom(form: HTMLFormElement): string {
  HTMLFormElement.prototype.requestSubmit.call(form);
  return "submitted the form";
}

/** How long a page may take to react to Enter before the button next to the field is pressed. */
const ANSWER_MS = 60;

/** Submits a field outside of a form by Enter, or by a button next to it. */
async function pressEnter(page: PageState, field: Element): Promise<string> {
  if (tagOf(field) === "select")
    throw invalidArguments(`${page.show(field)} is not in a form that could be submitted`, "use `click` on the button that sends it");
  const start = performance.now();
  const isHandled = !pressKey(field, "Enter");
  await new Promise((resolve) => setTimeout(resolve, ANSWER_MS));
  const button = isHandled || page.changes.last > start ? null : buttonBeside(field);
  if (!button) return "pressed Enter, since the field is not in a form";
  return pressButton(page, button);
}

/** The button in the nearest box with buttons around a field, if it is the only one there. */
function buttonBeside(field: Element): Element | null {
  let box = field.parentElement;
  for (let steps = 0; box && steps < 4; box = box.parentElement, steps += 1) {
    const buttons = all(box, "button,[role=button],input[type=button i]").filter(isShown);
    if (buttons.length > 0) return buttons.length === 1 ? (buttons[0] as Element) : null;
  }
  return null;
}
