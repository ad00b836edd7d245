/** Which tools of `document.modelContext` are forms; the platform does not say. */

/** The forms of a frame that may be tools, open shadow roots included, by name and description. */
export class FrameForms {
  #forms = new Map<string, HTMLFormElement>();

  /** A frame that cannot be looked into has none. */
  constructor(frame: Window) {
    try {
      for (const root of rootsOf(frame.document)) {
        for (const form of root.querySelectorAll<HTMLFormElement>("form[toolname]")) {
          const name = attributeOf(form, "toolname") ?? "";
          const key = keyOf(name, attributeOf(form, "tooldescription") ?? "");
          if (!this.#forms.has(key)) this.#forms.set(key, form);
        }
      }
    } catch {
      // Of another origin.
    }
  }

  /** The form of a tool; undefined for a script's. */
  find(tool: { name: string; description: string }): HTMLFormElement | undefined {
    return this.#forms.get(keyOf(tool.name, tool.description));
  }
}

/** An attribute of a form; a control named `getAttribute` would stand before the method. */
export function attributeOf(form: HTMLFormElement, name: string): string | null {
  return Element.prototype.getAttribute.call(form, name);
}

function keyOf(name: string, description: string): string {
  return JSON.stringify([name, description]);
}

/** A document and the open shadow roots in it, nested ones included. */
function* rootsOf(root: Document | ShadowRoot): Generator<Document | ShadowRoot> {
  yield root;
  for (const element of root.querySelectorAll("*")) {
    if (element.shadowRoot) yield* rootsOf(element.shadowRoot);
  }
}
