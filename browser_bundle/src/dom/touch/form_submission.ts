/** Submits forms as a person does, where their data may go: by the button of a field's form, else by Enter. */
import { isIgnored, isMasked, isSecret, keepSecret } from "../../base/agent_access.ts";
import { WebagentError } from "../../base/errors.ts";
import { nameOf } from "../read/accessible_names.ts";
import { LINK, roleOf } from "../read/aria_roles.ts";
import { isDisabled } from "../read/element_states.ts";
import { all, attr, baseOf, formAround, is, isInside, nearest, query, rootOf, tagOf, viewOf } from "../read/nodes.ts";
import type { PageState } from "../read/page_state.ts";
import { line } from "../read/page_text.ts";
import { denied, invalidArguments } from "../read/protocol.ts";
import { isShown } from "../read/visibility.ts";
import { hitPointOf, permit } from "./hit_test.ts";
import { fireInput, pressKey, setProperty } from "./input_events.ts";
import { clickAt } from "./pointer.ts";

export async function submitFrom(page: PageState, field: Element, guard: SubmitGuard): Promise<string> {
  const form = formAround(field);
  if (!form) return pressEnter(page, field);
  const complaints: string[] = [];
  let first = "";
  const onInvalid = (event: Event): void => {
    const control = event.target as HTMLInputElement;
    // The browser's message may repeat the value, and a field that agents do not see is not named.
    if (isIgnored(control)) return void complaints.push("a field that agents do not see is not valid");
    const name = nameOf(control, roleOf(control)).text || control.name;
    first ||= name;
    complaints.push(`\`${name}\`: ${isMasked(control) ? "it is not valid" : line(control.validationMessage)}`);
  };
  const root = form.getRootNode();
  root.addEventListener("invalid", onInvalid, true);
  try {
    const button = defaultButtonOf(form);
    guard.beforeSubmit(form, button);
    const did = button ? pressButton(page, button) : requestFrom(page, form);
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

/** The button that submits the form of a field; null without one. */
export function submitButtonOf(field: Element): Element | null {
  const form = formAround(field);
  return form && defaultButtonOf(form);
}

/** All visible buttons that submit a form, also those that agents do not see. */
function buttonsOf(form: HTMLFormElement): HTMLButtonElement[] {
  const buttons = query(form.getRootNode(), "button,input[type=submit i],input[type=image i]") as HTMLButtonElement[];
  return buttons.filter((button) => button.form === form && /^(submit|image)$/.test(button.type) && isShown(button));
}

/** The button that Enter would press; a custom one if it is the only one. */
export function defaultButtonOf(form: HTMLFormElement): HTMLElement | null {
  const native = buttonsOf(form).find((button) => !isIgnored(button));
  if (native) return native;
  const others = all(form, "[type=submit],button").filter((other) => isShown(other) && isInside(other, form));
  return others.length === 1 ? (others[0] as HTMLElement) : null;
}

function pressButton(page: PageState, button: Element): string {
  if (isDisabled(button))
    throw denied(`the form cannot be submitted: ${page.show(button)} is disabled`, "fill in what it waits for first");
  clickAt(hitPointOf(page, { ...page.read(), modal: null }, button));
  return `submitted with \`${page.show(button)}\``;
}

function requestFrom(page: PageState, form: HTMLFormElement): string {
  permit(page, form);
  if (buttonsOf(form).length > 0) throw denied("the form has no button that an agent may press", "ask the person to submit it");
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

/** In a headless page, waits until the server lets the page reach its own origin only. */
type Announce = (typed: "secret" | "data") => Promise<void>;

interface NavigateEvent extends Event {
  destination: { url: string };
}

/** Keeps what an action types on the origin of the page, and on those to which it may go. */
export class SubmitGuard {
  readonly #page: PageState;
  readonly #allowed: readonly string[];
  readonly #typed: Element[] = [];
  readonly #end = new AbortController();
  #isWatching = false;
  /** Whether what may be sent holds a secret. */
  #holdsSecret = false;
  #refusal: WebagentError | null = null;

  constructor(page: PageState, allowed: unknown) {
    this.#page = page;
    this.#allowed = Array.isArray(allowed) ? allowed.map(String) : [];
  }

  /** Runs an action that types or clicks, and watches what it starts. Throws if that led to another origin. */
  async around<T>(act: () => Promise<T>): Promise<T> {
    try {
      const done = await act();
      if (this.#refusal) throw this.#refusal;
      return done;
    } catch (error) {
      throw this.#refusal ?? error;
    } finally {
      this.#end.abort();
    }
  }

  /** Refuses a field whose form sends to another origin. */
  check(field: Element, secret: boolean, button: Element | null, submits: boolean): void {
    const form = formAround(field);
    const to = form && (secret || submits) ? destinationOf(this.#page, form, button) : null;
    if (to !== null && !this.#permits(to, secret)) this.#refuse(to, nameIn(field), secret);
  }

  /** Notes a field that is about to be filled in, and returns once the page may have it. */
  async beforeTyping(field: Element, secret: boolean): Promise<void> {
    this.#watch(field);
    if (secret) {
      this.#holdsSecret = true;
      this.#typed.push(field);
      keepSecret(field);
    }
    const { webagentTyping } = this.#page.window as { webagentTyping?: Announce };
    await webagentTyping?.(secret ? "secret" : "data");
  }

  /** Refuses to submit a form whose target is another origin by now. */
  beforeSubmit(form: HTMLFormElement, button: Element | null): void {
    const to = destinationOf(this.#page, form, button);
    if (to !== null && !this.#permitsNow(to)) this.#refuse(to, "the form", this.#holdsSecret);
  }

  /** Refuses a click that submits a form to another origin; a page with a secret is watched until it is sent. */
  beforeClick(element: Element): void {
    if (nearest(element, LINK)) return;
    const fields = query(rootOf(element), "input") as HTMLInputElement[];
    this.#holdsSecret = fields.some((field) => isSecret(field) && field.value !== "");
    const button = nearest(element, "button,input[type=submit i],input[type=image i]") as HTMLButtonElement | null;
    if (button?.form && /^(submit|image)$/.test(button.type)) this.beforeSubmit(button.form, button);
    if (this.#holdsSecret) this.#watch(element);
  }

  #permits(to: string, secret: boolean): boolean {
    return !secret && this.#allowed.includes(to);
  }

  #permitsNow(to: string): boolean {
    return this.#permits(to, this.#holdsSecret);
  }

  /** Scripts of the page may change the target until the last moment. */
  #watch(element: Element): void {
    if (this.#isWatching) return;
    this.#isWatching = true;
    const view = viewOf(element) ?? this.#page.window;
    const { signal } = this.#end;
    const stop = (event: Event, to: string | null): void => {
      if (to === null || this.#permitsNow(to) || event.defaultPrevented) return;
      event.preventDefault();
      this.#note(to, "the form", this.#holdsSecret);
    };
    view.addEventListener(
      "submit",
      (event) => {
        const { submitter } = event;
        stop(event, destinationOf(this.#page, event.target as HTMLFormElement, submitter));
      },
      { signal },
    );
    const { navigation } = view as { navigation?: EventTarget };
    navigation?.addEventListener(
      "navigate",
      (event) => stop(event, otherOrigin(this.#page, (event as NavigateEvent).destination.url)),
      { signal },
    );
  }

  #refuse(to: string, what: string, secret: boolean): never {
    throw this.#note(to, what, secret);
  }

  /** The refusal; no secret that was typed is left in the page. */
  #note(to: string, what: string, secret: boolean): WebagentError {
    this.#refusal ??= refusal(this.#page, to, what, secret);
    for (const field of this.#typed.splice(0).filter((one) => is(one, "input,textarea"))) {
      setProperty(field, "value", "");
      fireInput(field);
    }
    return this.#refusal;
  }
}

function refusal(page: PageState, to: string, what: string, secret: boolean): WebagentError {
  return new WebagentError({
    kind: "origin_mismatch",
    message: `\`${what}\` would be sent to \`${to}\`, and the page is of \`${page.window.location.origin}\``,
    help: secret
      ? "secrets are only entered where they stay on the origin of the page: a person may do it"
      : `\`--allow-origin ${to}\` lets tasks send it there; else a person may do it`,
  });
}

/** The other origin to which a form sends its data by a button; null for the page's own. */
function destinationOf(page: PageState, form: HTMLFormElement, button: Element | null): string | null {
  const own = (name: string): string | null => (button ? attr(button, `form${name}`) : null);
  if (/^dialog$/i.test(own("method") ?? attr(form, "method") ?? "")) return null;
  const address = own("action") === null ? actionOf(form, attr(form, "action")) : actionOf(button as Element, own("action"));
  // Nothing is sent to what is not an address.
  return address === null ? null : otherOrigin(page, address);
}

/** The origin of an address, or the scheme of one without an origin; null for the page's own. */
function otherOrigin(page: PageState, address: string): string | null {
  const { origin, protocol } = new URL(address);
  if (protocol === "javascript:" || origin === page.window.location.origin) return null;
  return origin === "null" ? protocol : origin;
}

function nameIn(field: Element): string {
  return nameOf(field, roleOf(field)).text || attr(field, "name") || roleOf(field);
}

/** The address for an `action` or a `formaction`: by default that of the page; null if it is not an address. */
export function actionOf(element: Element, action: string | null): string | null {
  const base = baseOf(element);
  try {
    return new URL(action || (viewOf(element)?.location.href ?? base), base).href;
  } catch {
    return null;
  }
}
