/** A call of a form's tool, from filling in the form to its result. */
import { executionResult } from "../realm/tool_execution.ts";
import type { RunEvents } from "../realm/tool_map.ts";
import { TaskQueue, type Realm } from "../realm/window_realm.ts";
import {
  attribute, controlsOf, focusOn, isSubmitButton, listen, rootOf, setFlag, submit, viewOf, type Control,
} from "./form_controls.ts";
import { prepareFill } from "./form_values.ts";

const UPDATED = "Tool execution cancelled, since tool definition was updated";
const SUPERSEDED = "Tool execution cancelled, since the tool was called again";
const RESET = "Tool execution cancelled by a form reset";
const NO_BUTTON =
  "No submit button was found, but for a form without `toolautosubmit`, there must be a submit button";
const NO_ANSWER =
  "The site has a programming error: it called preventDefault() on the 'submit' event, without also calling respondWith() with the tool result";
const NO_JSON = "respondWith promise resolved with an object that could not be serialized to JSON";

const calls = new WeakMap<EventTarget, FormCall>();
/** The calls of events, even after they have ended. */
const callsOfEvents = new WeakMap<Event, FormCall>();
const queues = new WeakMap<Realm, TaskQueue>();

/** The call that waits for the form's submission, or for the page's response to it. */
export function callOf(form: EventTarget | null): FormCall | undefined {
  return calls.get(form as EventTarget);
}

/** The call whose submission an event is. */
function callOfEvent(event: Event): FormCall | undefined {
  // The page's listeners may run before the call itself sees the event.
  if (event.eventPhase) callOf(event.target)?.take(event);
  return callsOfEvents.get(event);
}

/** Runs a task after the current one and all of its promise reactions. */
export function queueTask(realm: Realm, task: () => void): void {
  let queue = queues.get(realm);
  if (!queue) queues.set(realm, (queue = new TaskQueue(realm)));
  queue.add(task);
}

interface Submission {
  readonly name: string;
  readonly automatic: boolean;
  readonly input: object;
  readonly signal: AbortSignal;
  readonly events: RunEvents;
}

/** Fills the form, and submits it or waits for the person to do so. */
export function callForm(realm: Realm, form: HTMLFormElement, submission: Submission): Promise<string | null> {
  return new realm.Promise((resolve, reject) => {
    const fail = (message: string) => reject(new realm.DOMException(message, "UnknownError"));
    try {
      if (Array.isArray(submission.input)) throw "JSON input arguments must be an object";
      if (!submission.automatic && !submitButtonOf(form)) throw NO_BUTTON;
      const fill = prepareFill(form, submission.input);
      calls.get(form)?.fail(SUPERSEDED);
      fill();
      // A listener may have removed the form, or its document.
      if (!viewOf(form)) return fail(UPDATED);
      const button = submitButtonOf(form);
      const call = new FormCall(realm, form, button, submission, resolve, reject);
      if (submission.automatic) call.submitting(() => submit(form, button));
      else if (button) focusOn(button);
    } catch (error) {
      fail(typeof error === "string" ? error : String(error));
    }
    submission.events.activated();
  });
}

function submitButtonOf(form: HTMLFormElement): HTMLElement | null {
  return controlsOf(form).find(isSubmitButton) ?? null;
}

class FormCall {
  readonly #realm: Realm;
  readonly #form: HTMLFormElement;
  readonly #name: string;
  readonly #events: RunEvents;
  readonly #resolve: (result: string | null) => void;
  readonly #reject: (error: unknown) => void;
  readonly #button: Element | null;
  readonly #end: AbortController;
  /** Controls that are invalid in the current submission. */
  readonly #invalid = new Set<Control>();
  /** The submit event, as long as the page may respond to it. */
  #event: Event | null = null;
  #answer: Promise<unknown> | null = null;
  #reset: Event | null = null;
  #settled = false;

  constructor(
    realm: Realm,
    form: HTMLFormElement,
    button: Element | null,
    { name, signal, events }: Submission,
    resolve: (result: string | null) => void,
    reject: (error: unknown) => void,
  ) {
    this.#realm = realm;
    this.#form = form;
    this.#name = name;
    this.#events = events;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#button = button;
    this.#end = new realm.AbortController();
    calls.set(form, this);
    markWaiting(form, button, true);
    this.#listen(signal);
  }

  /** Whether the page handles the submission itself, so that the form no longer matters. */
  get answering(): boolean {
    return this.#answer !== null;
  }

  /** Takes the call's submit event; decides after its listeners and their immediate promise reactions. */
  take(event: Event): void {
    if (callsOfEvents.has(event) || !event.isTrusted) return;
    callsOfEvents.set(event, this);
    this.#event = event;
    this.#answer = null;
    queueTask(this.#realm, () => this.#decide(event));
  }

  /** Whether the page may still respond to the event. */
  awaits(event: Event): boolean {
    return this.#event === event;
  }

  answer(response: unknown): void {
    this.#answer = this.#realm.Promise.resolve(response);
    // It is awaited in a later task; until then Firefox would report it as unhandled.
    this.#answer.catch(() => {});
  }

  /** Runs the submission, and fails if the form turns out to be invalid. */
  submitting(run: () => void): void {
    const before = this.#event;
    this.#invalid.clear();
    run();
    if (this.#event === before) this.#checkValidity();
  }

  navigated(): void {
    this.#settle(() => this.#resolve(null));
  }

  /**
   * Fails if the script that has submitted the form takes it away in the same breath.
   *
   * A listener of the submission may do so, since it has the form's values by then.
   */
  submitted(): void {
    if (!viewOf(this.#form)) return;
    void this.#realm.Promise.resolve().then(() => {
      if (!viewOf(this.#form) || attribute(this.#form, "toolname") !== this.#name) this.#cancel();
    });
  }

  /** The form's definition has changed, or the form was removed. */
  updated(): void {
    if (!this.answering) this.#cancel();
  }

  #cancel(): void {
    if (this.#settled) return;
    this.fail(UPDATED);
    // Its listeners may change forms, so they do not run in the midst of a change.
    void this.#realm.Promise.resolve().then(this.#events.cancelled);
  }

  fail(message: string): void {
    this.#settle(() => this.#reject(new this.#realm.DOMException(message, "UnknownError")));
  }

  #listen(signal: AbortSignal): void {
    const until = this.#end.signal;
    const root = rootOf(this.#form);
    listen(this.#form, "submit", callOfEvent, until);
    listen(this.#form, "reset", (event) => this.#startReset(event), until);
    listen(root, "click", (event) => this.#startClick(event), until);
    listen(root, "invalid", ({ target }) => {
      if (controlsOf(this.#form).includes(target as Control)) this.#invalid.add(target as Control);
    }, until);
    listen(signal, "abort", () => {
      this.#settle(() => this.#reject(signal.reason));
    }, until);
  }

  #startReset(event: Event): void {
    if (event.target !== this.#form || !event.isTrusted) return;
    this.#reset = event;
    queueTask(this.#realm, () => this.#checkReset());
  }

  /** A click on a button submits the form unless a listener prevents it; only then validity matters. */
  #startClick(click: Event): void {
    const button = (click.target as Element | null)?.closest?.("button,input") as Control | null;
    if (button?.form !== this.#form || !isSubmitButton(button)) return;
    const before = this.#event;
    this.#invalid.clear();
    queueTask(this.#realm, () => {
      if (!click.defaultPrevented && this.#event === before) this.#checkValidity();
    });
  }

  #checkValidity(): void {
    if (this.#invalid.size === 0) return;
    const problems = [...this.#invalid].map(
      (control) => `${attribute(control, "name") ?? ""}: ${control.validationMessage ?? ""}. `,
    );
    this.fail(`Form validation failed: ${problems.join("")}`);
  }

  /** Fails when the form was reset, unless the page prevented it. */
  #checkReset(): boolean {
    if (this.#settled || !this.#reset || this.#reset.defaultPrevented) return false;
    this.fail(RESET);
    this.#events.reset();
    return true;
  }

  #decide(event: Event): void {
    if (this.#event !== event) return;
    this.#event = null;
    if (!event.defaultPrevented) return this.navigated();
    const answer = this.#answer;
    if (!answer) return this.#checkReset() ? undefined : this.fail(NO_ANSWER);
    answer.then(
      (value) => {
        if (this.#answer === answer && !this.#checkReset()) this.#answered(value);
      },
      () => {
        if (this.#answer === answer && !this.#checkReset()) this.fail("respondWith promise was rejected");
      },
    );
  }

  #answered(value: unknown): void {
    let result: string;
    try {
      result = value === "" ? "" : executionResult(value);
    } catch {
      return this.fail(NO_JSON);
    }
    this.#settle(() => this.#resolve(result));
  }

  #settle(settle: () => void): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#event = null;
    this.#end.abort();
    markWaiting(this.#form, this.#button, false);
    if (calls.get(this.#form) === this) calls.delete(this.#form);
    settle();
  }
}

// The mark of a form that waits: attributes, and an outline that any rule of the page overrides.

const FORM = "data-tool-form-active";
const BUTTON = "data-tool-submit-active";
const STYLE = [
  [FORM, "blue", "cyan"],
  [BUTTON, "red", "pink"],
]
  .map(
    ([name, light, dark]) =>
      `:where([${name}]){outline:1px dashed ${light};outline-color:light-dark(${light},${dark});outline-offset:-1px}`,
  )
  .join("");

const sheets = new WeakMap<Document, CSSStyleSheet>();

/** Marks the form and its submit button, or removes the marks. */
function markWaiting(form: HTMLFormElement, button: Element | null, active: boolean): void {
  if (active) adoptStyle(form);
  setFlag(form, FORM, active);
  if (button) setFlag(button, BUTTON, active);
}

function adoptStyle(form: HTMLFormElement): void {
  const realm = viewOf(form);
  const root = rootOf(form);
  if (!realm || !root.adoptedStyleSheets) return;
  let sheet = sheets.get(realm.document);
  if (!sheet) {
    sheet = new realm.CSSStyleSheet();
    sheet.replaceSync(STYLE);
    sheets.set(realm.document, sheet);
  }
  if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets.push(sheet);
}

/** A pseudo-class of the marks in a selector; strings and escapes are matched first, and left as they are. */
const PSEUDO_CLASS =
  /"(?:\\[^]|[^"\\])*"|'(?:\\[^]|[^'\\])*'|\\[^]|(?<!:):tool-(form|submit)-active(?![-\w\\]|[^\0-~])/gi;

/** Lets scripts select the marks by their pseudo-classes. Style sheets are beyond a script. */
export function definePseudoClasses(realm: Realm): void {
  const queries = ["querySelector", "querySelectorAll"];
  extendSelectors(realm.Element.prototype, ["matches", "webkitMatchesSelector", "closest", ...queries]);
  extendSelectors(realm.Document.prototype, queries);
  extendSelectors(realm.DocumentFragment.prototype, queries);
}

function extendSelectors(prototype: object, names: readonly string[]): void {
  const methods = prototype as Record<string, (...given: unknown[]) => unknown>;
  for (const name of names) {
    const method = methods[name];
    if (!method) continue;
    Object.assign(methods, {
      [name](selectors: unknown): unknown {
        const given = [...arguments] as unknown[];
        if (typeof selectors === "string" && /:tool-/i.test(selectors)) {
          given[0] = selectors.replace(PSEUDO_CLASS, (text, mark?: string) =>
            mark ? `[data-tool-${mark.toLowerCase()}-active]` : text,
          );
        }
        return method.apply(this, given);
      },
    });
  }
}

/**
 * Defines `agentInvoked` and `respondWith` of submit events, for submissions by agents.
 *
 * Also detects submissions without an event.
 */
export function defineSubmission(realm: Realm): void {
  const prototype = realm.SubmitEvent.prototype;
  const brand = Object.getOwnPropertyDescriptor(prototype, "submitter")?.get as () => unknown;
  const refuse = (why: string): never => {
    throw new realm.DOMException(`Failed to execute 'respondWith' on 'SubmitEvent': ${why}`, "InvalidStateError");
  };
  const members = {
    get agentInvoked(): boolean {
      brand.call(this);
      return callOfEvent(this as never) !== undefined;
    },
    respondWith(response: unknown): void {
      brand.call(this);
      if (arguments.length === 0) {
        throw new realm.TypeError("Failed to execute 'respondWith' on 'SubmitEvent': 1 argument required, but only 0 present.");
      }
      const event = this as never as Event;
      const call = callOfEvent(event) ?? refuse("the form is not submitted by an agent; read `agentInvoked` first");
      if (!call.awaits(event)) refuse("the event is over; call it before you await");
      if (!event.defaultPrevented) refuse("the form navigates; call `preventDefault()` first");
      call.answer(response);
    },
  };
  Object.defineProperties(prototype, Object.getOwnPropertyDescriptors(members));

  const form = realm.HTMLFormElement.prototype;
  const { submit, requestSubmit } = form;
  Object.assign(form, {
    submit(this: HTMLFormElement): void {
      submit.call(this);
      callOf(this)?.navigated();
    },
    requestSubmit(this: HTMLFormElement, ...submitter: [HTMLElement?]): void {
      const run = () => requestSubmit.apply(this, submitter);
      const call = callOf(this);
      if (!call) return run();
      call.submitting(run);
      call.submitted();
    },
  } satisfies Partial<HTMLFormElement>);
  // Capturing at the window comes first, except for shadow roots, where calls listen themselves.
  realm.addEventListener("submit", callOfEvent, true);
}
