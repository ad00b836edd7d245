/** Shows on the page that a form waits for its call: attributes, and an outline that any rule overrides. */
import { rootOf, setFlag, viewOf } from "./form_controls.ts";

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

/** Marks the form, and the button that submits it, or takes the marks away. */
export function indicate(form: HTMLFormElement, button: Element | null, active: boolean): void {
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
