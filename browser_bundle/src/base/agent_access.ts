/** The parts of a page that its site closes to agents: `data-agent="ignore|mask|readonly"`. */
import { WebagentError } from "./errors.ts";
import { attr, getter, isElement, renderedParent } from "./node_tree.ts";

/** Agents do not change it. */
export const READONLY = 1;
/** Agents see that it is there, but not its text and values. */
export const MASK = 2;
/** Agents do not see it. */
export const IGNORE = 4;

/** In place of a text or a value that agents do not see. */
export const HIDDEN = "•••";

const MODES = new Map([
  ["readonly", READONLY],
  ["mask", MASK],
  ["ignore", IGNORE],
]);

const SECRET = /(^|\s)(cc-\S+|one-time-code|(current|new)-password)(?!\S)/i;

/** Names of fields for them, also in camel case; `autocomplete` is often missing. */
const SECRET_NAME =
  /(^|[-_.[ ]|[a-z](?=[A-Z]))((card|cc|Card)[-_]?(number|num|no|Number)|[cC][vV][vVcC]2?|CSC|csc|(security|verification|Security|Verification|one[-_]?time|oneTime)[-_]?[cC]ode|[oO][tT][pP]|[tT]otp|[pP]assword|passwd|pwd|[pP]assphrase|passwort|kennwort)\]?$/;
const WRITTEN = /^(text|tel|number|search|password|)$/i;

/** Fields that were secret once; a button of the page may make a password readable. */
const secrets = new WeakSet<Element>();

/** The words of `data-agent`; none without it. */
function modesOf(element: Element): string[] {
  return attr(element, "data-agent")?.slice(0, 200).trim().toLowerCase().split(/\s+/) ?? [];
}

const isMode = (word: string): boolean => MODES.has(word);

/** The restrictions that an element sets for itself and all that is in it. */
export function ownAccess(element: Element): number {
  let closed = 0;
  for (const word of modesOf(element)) closed |= MODES.get(word) ?? 0;
  return isSecret(element) ? closed | MASK : closed;
}

/** Whether a field is for a password, a card or a one-time code, or was for one before. */
export function isSecret(field: Element): boolean {
  const type = attr(field, "type") ?? "";
  const named = (): boolean =>
    field.localName === "input" && WRITTEN.test(type) && [attr(field, "name"), attr(field, "id")].some((name) => SECRET_NAME.test(name ?? ""));
  if (type.toLowerCase() === "password" || SECRET.test(attr(field, "autocomplete") ?? "") || named()) secrets.add(field);
  return secrets.has(field);
}

/** Mask a field from now on, because a secret was typed into it. */
export function keepSecret(field: Element): void {
  secrets.add(field);
  forgetAccess();
}

/** Known answers of `accessOf`, as long as no other script can run. */
let known: WeakMap<Node, number> | null = null;

/** Look at each attribute again: a script of the page may have run. */
export function forgetAccess(): void {
  known = null;
}

/**
 * The restrictions of a node: by itself and by all that it is in, through slots, shadow roots and
 * frames. 0, or a sum of `READONLY`, `MASK` and `IGNORE`.
 */
export function accessOf(node: Node): number {
  if (!known) {
    known = new WeakMap();
    queueMicrotask(forgetAccess);
  }
  const path: Node[] = [];
  let closed = 0;
  for (let at: Node | null = node; at; at = renderedParent(at)) {
    const found = known.get(at);
    if (found !== undefined) {
      closed = found;
      break;
    }
    path.push(at);
  }
  for (const one of path.reverse()) {
    if (isElement(one)) closed |= ownAccess(one);
    known.set(one, closed);
  }
  return closed;
}

export const isIgnored = (node: Node): boolean => (accessOf(node) & IGNORE) > 0;
export const isMasked = (node: Node): boolean => (accessOf(node) & MASK) > 0;

/** The elements in a document, its open shadow trees and its frames that have `data-agent`, with its words. */
function* closedParts(root: Document | ShadowRoot): Generator<{ element: Element; modes: string[] }> {
  for (const element of root.querySelectorAll("*")) {
    const modes = modesOf(element);
    if (modes.length > 0) yield { element, modes };
    const inner = element.shadowRoot ?? (element as HTMLIFrameElement).contentDocument;
    if (inner?.nodeType === 9 || inner?.nodeType === 11) yield* closedParts(inner);
  }
}

/** The exports of `dom.js` for the tools of a page. */
export interface ClosedParts {
  toolPart: typeof toolPart;
  unknownModes: typeof unknownModes;
}

/** The part of a page that a tool is in, as far as it is closed to agents. */
export interface ToolPart {
  /** Whether an agent may call the tool; one that only reads also in a part that agents do not change. */
  isOpen: boolean;
  /** The result of the tool, hidden where the site masks the part. */
  seen(result: Promise<unknown>): Promise<unknown>;
}

/** A window refers to itself; a form's control of that name is another object. */
const isWindow = (place: object): place is Window => (place as Window).window === place;

/** The part of a form's tool, or of the tools in a frame. */
export function toolPart(place: HTMLFormElement | Window, hints: object = {}): ToolPart {
  forgetAccess();
  const closed = isWindow(place) ? accessOfWindow(place) : accessOfForm(place);
  return {
    isOpen: !(closed & ((hints as { readOnlyHint?: unknown }).readOnlyHint === true ? IGNORE : IGNORE | READONLY)),
    seen: (result) =>
      closed & MASK
        ? result.then(
            (value) => (value == null ? null : HIDDEN),
            () => {
              // Its message may hold what is masked.
              throw new WebagentError({ kind: "threw", message: "the tool failed, and the site masks what it says" });
            },
          )
        : result,
  };
}

const elementsOf = getter<HTMLFormControlsCollection>(HTMLFormElement.prototype, "elements");

/**
 * The restrictions of a form's tool. Its schema describes the whole form, so a part of the form that
 * agents do not see or change closes all of it, as does a list or a button whose choices are masked.
 */
function accessOfForm(form: HTMLFormElement): number {
  let closed = accessOf(form);
  for (const control of elementsOf(form) as Iterable<HTMLSelectElement>) {
    const labels = [...(control.labels ?? [])];
    for (const part of [control, ...labels, ...(control.options ?? [])]) closed |= accessOf(part) & (IGNORE | READONLY);
    if (accessOf(control) & MASK && /^(select|radio|checkbox)/.test(control.type)) closed |= READONLY;
    for (const label of labels)
      for (const part of label.querySelectorAll("[data-agent]")) if (part !== control && accessOf(part)) closed |= READONLY;
  }
  return closed;
}

/** The restrictions of a window in this page: by the frame that shows it, and the frames around that. */
function accessOfWindow(view: Window): number {
  let closed = 0;
  for (let at = view; at !== at.parent; at = at.parent) {
    // The frame was removed, so it shows nothing.
    if (!at.parent) return IGNORE;
    const frame = frameShowing(at);
    if (frame) closed |= accessOf(frame);
  }
  return closed;
}

/** The element that shows a window; undefined if it is in a document of another origin. */
function frameShowing(view: Window): Element | undefined {
  try {
    return view.frameElement ?? undefined;
  } catch {
    // The window has another origin, but the element may be in a document of ours.
  }
  try {
    return frameIn(view.parent.document, view);
  } catch {
    return undefined;
  }
}

function frameIn(root: Document | ShadowRoot, view: Window): Element | undefined {
  for (const element of root.querySelectorAll("*")) {
    if ((element as HTMLIFrameElement).contentWindow === view) return element;
    const found = element.shadowRoot && frameIn(element.shadowRoot, view);
    if (found) return found;
  }
  return undefined;
}

/** The words of `data-agent` in the page that are not modes, each once. */
export function unknownModes(top: Document): string[] {
  const words = [...closedParts(top)].flatMap(({ modes }) => modes.filter((word) => !isMode(word)));
  return [...new Set(words)];
}

/**
 * Refuse a program that would run in the page itself.
 *
 * @throws WebagentError where the site closed parts of the page, which the program could reach.
 */
export function refuseClosedParts(): void {
  const [closed] = closedParts(document);
  if (closed)
    throw new WebagentError({
      kind: "denied",
      message: `the site closed parts of this page to agents (\`data-agent="${closed.modes.join(" ")}"\`), and a program in the page could reach them`,
      help: "run the program with `isolation: \"sandbox\"`",
    });
}
