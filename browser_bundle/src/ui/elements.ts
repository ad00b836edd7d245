/** Builds elements from text only, so that no text of a page, a file or a model becomes markup. */
import { visible } from "./text_parts.ts";

export type Child = Node | string | null | undefined | false;

/** Attributes by their names; `true` sets one without a value, `false` leaves it out. */
type Attributes = Record<string, string | boolean>;

export function h<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  set(made, attributes);
  made.append(...children.filter((child): child is Node | string => child !== false && child != null));
  return made;
}

/**
 * A button with an action; it never submits a form.
 *
 * Only a person presses it: a script of the page that gets hold of the element can call `click()`, but
 * the event is not trusted then.
 */
export function button(className: string, label: Child, act: () => void): HTMLButtonElement {
  const made = h("button", { class: className, type: "button" }, label);
  // The second click of a double click was meant for the element that was here before.
  made.addEventListener("click", (event) => {
    if (event.isTrusted && event.detail < 2) act();
  });
  return made;
}

/** A button with an icon, and a label for tooltips and screen readers. */
export function iconButton(icon: Icon, label: string, act: () => void): HTMLButtonElement {
  const made = button("icon", picture(icon), act);
  set(made, { "aria-label": label, title: label });
  return made;
}

const PICTURES = {
  star: "M12 3l2.2 6.8L21 12l-6.8 2.2L12 21l-2.2-6.8L3 12l6.8-2.2z",
  place: "M4 5.5h16v13H4zM14.5 5.5v13",
  minimise: "M5 12.5h14",
  close: "M6.5 6.5l11 11m0-11l-11 11",
  plus: "M12 5.5v13M5.5 12h13",
  send: "M12 18.5v-13m-5.5 5.5L12 5.5l5.5 5.5",
  stop: "M8 8h8v8H8z",
  done: "M6 12.5l4 4 8-9",
  failed: "M7.5 7.5l9 9m0-9l-9 9",
  cancelled: "M6 12h12",
  started: "M12 4.5a7.5 7.5 0 1 1-7.5 7.5",
  chevron: "M9.5 7l5 5-5 5",
  ask: "M9 9.2a3 3 0 1 1 4.3 2.7c-.9.4-1.3 1-1.3 1.9m0 2.9v.1",
};

export type Icon = keyof typeof PICTURES;

const SVG = "http://www.w3.org/2000/svg";

/** A small icon, hidden from screen readers. */
export function picture(icon: Icon): SVGElement {
  const svg = document.createElementNS(SVG, "svg");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", PICTURES[icon]);
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("class", `picture ${icon}`);
  svg.append(path);
  return svg;
}

/** A text whose parts between backticks become code, as in error messages; hidden characters are named. */
export function words(text: string): Child[] {
  const parts = visible(text).split("`");
  // With an odd number of backticks nothing is code.
  if (parts.length % 2 === 0) return [parts.join("`")];
  return parts.map((part, i) => (i % 2 ? h("code", {}, part) : part));
}

function set(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false) element.setAttribute(name, value === true ? "" : value);
  }
}

/** An element with a class and a text; unlike `h` it takes no attributes. */
export function element(
  name: string,
  className: string,
  ...children: (Node | string)[]
): HTMLElement {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

/** A host with a shadow root, so that the site's styles and ours do not mix. */
export function shadowHost(name: string, css: string): { host: HTMLElement; root: ShadowRoot } {
  const host = document.createElement(name);
  const root = host.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  root.adoptedStyleSheets = [sheet];
  return { host, root };
}

/** Forms that a person is submitting. */
const submitted = new WeakSet<HTMLFormElement>();

/**
 * Run an action when a person submits a form, instead of the submission.
 *
 * A `submit` event is trusted even if a script has called `requestSubmit()`, so it counts only after a
 * click or a key of a person. Enter in a field is a click on the form's button, too.
 */
export function onSubmit(form: HTMLFormElement, act: () => void): void {
  form.addEventListener("click", (event) => {
    if (event.isTrusted && (event.target as Element).closest("[type=submit]")) begin(form);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (submitted.delete(form)) act();
  });
}

/** Let Enter submit the form; with Shift it starts a new line. */
export function submitOnEnter(field: HTMLElement, form: HTMLFormElement): void {
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) submitByKey(event, form);
  });
}

/** Submit a form by the key of this event, if a person has pressed it. */
export function submitByKey(event: KeyboardEvent, form: HTMLFormElement): void {
  event.preventDefault();
  if (!event.isTrusted) return;
  begin(form);
  form.requestSubmit();
}

/** The event of the submission follows at once, or not at all. */
function begin(form: HTMLFormElement): void {
  submitted.add(form);
  setTimeout(() => submitted.delete(form));
}
