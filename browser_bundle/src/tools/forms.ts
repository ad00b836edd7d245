/** Which form a tool of `document.modelContext` is; the platform does not say. */

/** The form of a tool; undefined for a script's tool, or where the frame cannot be looked into. */
export function findForm(
  frame: Window,
  name: string,
  description: string,
): HTMLFormElement | undefined {
  let document: Document;
  try {
    document = frame.document;
  } catch {
    return undefined;
  }
  // Of another window, so `instanceof` says nothing.
  const selector = `form[toolname="${CSS.escape(name)}"]`;
  const matches = (form: HTMLFormElement) => form.getAttribute("tooldescription") === description;
  const inDocument = [...document.querySelectorAll<HTMLFormElement>(selector)].find(matches);
  if (inDocument) return inDocument;
  for (const root of shadowRoots(document)) {
    const form = [...root.querySelectorAll<HTMLFormElement>(selector)].find(matches);
    if (form) return form;
  }
  return undefined;
}

/** The open shadow roots below a node, nested ones included. */
function* shadowRoots(root: Document | ShadowRoot): Generator<ShadowRoot> {
  for (const element of root.querySelectorAll("*")) {
    if (!element.shadowRoot) continue;
    yield element.shadowRoot;
    yield* shadowRoots(element.shadowRoot);
  }
}
