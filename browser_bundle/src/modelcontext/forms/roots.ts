/** The trees of one document that may hold forms: its own, and those in the shadow of its elements. */
import type { Realm } from "../realm/window_realm.ts";
import { isElement, isMatch, select } from "./form_controls.ts";

/** What a closed shadow tree hangs from, as far as it was attached in our sight. */
const closed = new WeakMap<Element, ShadowRoot>();
const watchers = new WeakMap<Document, Roots>();
/** Whether there may be shadow trees at all: to look for them takes a look at each new element. */
let areThereAny = false;

const FORM = "form[toolname]";

export class Roots {
  readonly #observer: MutationObserver;
  readonly #attributes: string[];

  constructor(realm: Realm, document: Document, attributes: string[], changed: (records: MutationRecord[]) => void) {
    this.#attributes = attributes;
    this.#observer = new realm.MutationObserver(changed);
    watchers.set(document, this);
    this.watch(document);
  }

  watch(root: Document | ShadowRoot): void {
    this.#observer.observe(root, { childList: true, subtree: true, attributeFilter: this.#attributes });
  }

  /** The forms in the subtree that may be tools; what lies in its shadow is watched from then on. */
  *formsIn(top: Element | Document | ShadowRoot): Generator<HTMLFormElement> {
    const own = isElement(top) ? [top] : [];
    for (const element of own) if (isMatch(element, FORM)) yield element as HTMLFormElement;
    yield* select(top, FORM) as NodeListOf<HTMLFormElement>;
    // Roots that the parser attached are found in the whole document.
    if (!areThereAny && own.length > 0) return;
    for (const element of [...own, ...select(top, "*")]) {
      const root = element.shadowRoot ?? closed.get(element);
      // A form's control may be named `shadowRoot`.
      if (root?.nodeType !== 11) continue;
      areThereAny = true;
      this.watch(root);
      yield* this.formsIn(root);
    }
  }
}

/** Learns of shadow roots that are attached from now on, closed ones too. */
export function learnOfRoots(realm: Realm): void {
  const prototype = realm.Element.prototype;
  const { attachShadow } = prototype;
  Object.assign(prototype, {
    attachShadow(this: Element, options: ShadowRootInit): ShadowRoot {
      const root: ShadowRoot = attachShadow.call(this, options);
      areThereAny = true;
      if (root.mode === "closed") closed.set(this, root);
      watchers.get(this.ownerDocument)?.watch(root);
      return root;
    },
  } satisfies Partial<Element>);
}
