/** Shows on the page that a form waits for its call: attributes, and an outline that any rule overrides. */
import { rootOf, setFlag, viewOf } from "./element.ts";

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

export class Indicator {
  readonly #form: HTMLFormElement;
  readonly #button: Element | null;

  constructor(form: HTMLFormElement, button: Element | null) {
    this.#form = form;
    this.#button = button;
    adoptStyle(form);
    this.#show(true);
  }

  remove(): void {
    this.#show(false);
  }

  #show(on: boolean): void {
    setFlag(this.#form, FORM, on);
    if (this.#button) setFlag(this.#button, BUTTON, on);
  }
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
