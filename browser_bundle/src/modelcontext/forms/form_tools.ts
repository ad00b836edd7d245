/** Registers a document's forms as tools, and updates them as the document changes. */
import { NAME, type FormHost, type FormTool } from "../realm/tool_map.ts";
import type { Realm } from "../realm/window_realm.ts";
import { callForm, callOf, definePseudoClasses, defineSubmission, queueTask } from "./form_call.ts";
import { attribute, contain, isElement, isMatch, isParsed, select, viewOf, type Control } from "./form_controls.ts";
import { schemaOf } from "./form_schema.ts";

const OF_FORMS = ["toolname", "tooldescription", "tooltitle", "toolautosubmit"];
const OF_CONTROLS = [
  "name", "type", "required", "multiple", "pattern", "disabled", "readonly", "min", "max", "step", "value",
  "toolparamtitle", "toolparamdescription", "aria-description",
];
/** Attributes that may change which controls a form has, or which labels they have. */
const OF_OTHERS = ["id", "form"];
/**
 * Elements whose insertion or removal changes a form's definition. Options do not count: a page that fills
 * a list in response to a call would end the call.
 */
const PARTS = "input,select,textarea,button,output,fieldset,label";

/** Watch the document's forms. */
export function watchForms(document: Document, host: FormHost): void {
  const realm = document.defaultView;
  if (!realm) return;
  if (!("agentInvoked" in realm.SubmitEvent.prototype)) {
    defineSubmission(realm);
    definePseudoClasses(realm);
    trackShadowRoots(realm);
  }
  new Forms(document, realm, host);
}

interface Registered {
  readonly tool: FormTool;
  /** Equal keys mean equal definitions. */
  readonly key: string;
}

class Forms {
  readonly #realm: Realm;
  readonly #host: FormHost;
  readonly #roots: FormRoots;
  /** The forms in the document that may be tools, and those that are. */
  readonly #forms = new Map<HTMLFormElement, Registered | null>();
  /** The forms to check in the next task. */
  readonly #due = new Set<HTMLFormElement>();
  #scheduled = false;

  constructor(document: Document, realm: Realm, host: FormHost) {
    this.#realm = realm;
    this.#host = host;
    const attributes = [...OF_FORMS, ...OF_CONTROLS, ...OF_OTHERS];
    this.#roots = new FormRoots(realm, document, attributes, (records) => this.#changed(records));
    this.#findIn(document);
    document.addEventListener("readystatechange", () => {
      // Now also find the shadow roots that the parser attached to earlier elements.
      this.#findIn(document);
      this.#schedule();
    });
    this.#schedule();
  }

  #changed(records: MutationRecord[]): void {
    for (const record of records) {
      if (record.type === "attributes") this.#attributeChanged(record.target as Element, record.attributeName ?? "");
      else this.#nodesChanged(record);
    }
    for (const form of [...this.#forms.keys()]) {
      if (viewOf(form) !== this.#realm) this.#forget(form);
    }
    this.#schedule();
  }

  #attributeChanged(target: Element, name: string): void {
    if (OF_FORMS.includes(name)) {
      if (!isMatch(target, "form")) return;
      this.#found(target as HTMLFormElement);
      this.#due.add(target as HTMLFormElement);
    } else if (OF_OTHERS.includes(name) || target.localName === "fieldset") {
      this.#dueWhere(() => true);
    } else if (target.localName !== "option") {
      this.#dueWhere((form) => (target as Control).form === form);
    }
  }

  #nodesChanged({ target, addedNodes, removedNodes }: MutationRecord): void {
    const added = [...addedNodes].filter(isElement);
    const removed = [...removedNodes].filter(isElement);
    for (const form of [...this.#forms.keys()]) {
      if (removed.some((node) => contain(node, form))) this.#forget(form);
    }
    for (const node of added) this.#findIn(node);
    if (this.#forms.size === 0) return;
    const elements = [...added, ...removed];
    if (!elements.some((element) => holds(element, PARTS))) return;
    const anywhere = elements.some((element) => holds(element, "[form]"));
    this.#dueWhere((form) => anywhere || contain(form, target));
  }

  #findIn(node: Element | Document): void {
    for (const form of this.#roots.formsIn(node)) this.#found(form);
  }

  #found(form: HTMLFormElement): void {
    if (this.#forms.has(form)) return;
    this.#forms.set(form, null);
    this.#due.add(form);
  }

  #dueWhere(isConcerned: (form: HTMLFormElement) => boolean): void {
    for (const form of this.#forms.keys()) {
      if (isConcerned(form)) this.#due.add(form);
    }
  }

  #schedule(): void {
    if (this.#scheduled || this.#due.size === 0) return;
    this.#scheduled = true;
    queueTask(this.#realm, () => {
      this.#scheduled = false;
      for (const form of [...this.#due]) {
        if (!isParsed(form)) continue;
        this.#due.delete(form);
        if (viewOf(form) === this.#realm) this.#register(form);
      }
    });
  }

  /** Registers the form as it is now, unless its definition is unchanged. */
  #register(form: HTMLFormElement): void {
    const old = this.#forms.get(form) ?? null;
    const next = this.#host.active ? this.#toolOf(form) : null;
    if (old && old.key === next?.key) return;
    if (old && next && this.#host.replaceForm(old.tool, next.tool)) {
      this.#forms.set(form, next);
      callOf(form)?.updated();
      return;
    }
    this.#unregister(form);
    if (next && this.#host.addForm(next.tool)) this.#forms.set(form, next);
  }

  #unregister(form: HTMLFormElement): void {
    const registered = this.#forms.get(form);
    if (!registered) return;
    this.#forms.set(form, null);
    this.#host.removeForm(registered.tool);
    callOf(form)?.updated();
  }

  #forget(form: HTMLFormElement): void {
    this.#unregister(form);
    this.#forms.delete(form);
  }

  #toolOf(form: HTMLFormElement): Registered | null {
    const name = attribute(form, "toolname");
    const description = attribute(form, "tooldescription");
    if (name === null || description === null || !NAME.test(name)) return null;
    const title = attribute(form, "tooltitle") ?? "";
    const inputSchema = schemaOf(form);
    const automatic = attribute(form, "toolautosubmit") !== null;
    const tool: FormTool = {
      name,
      title,
      description,
      inputSchema,
      form,
      execute: (input, signal, events) => callForm(this.#realm, form, { name, automatic, input, signal, events }),
    };
    return { tool, key: JSON.stringify([name, title, description, inputSchema, automatic]) };
  }
}

function holds(element: Element, selector: string): boolean {
  return isMatch(element, selector) || select(element, selector).length > 0;
}

/** Closed shadow roots by their hosts, if they were attached after this script had started. */
const closed = new WeakMap<Element, ShadowRoot>();
const watchers = new WeakMap<Document, FormRoots>();
/** Whether there may be shadow trees at all; without any, new elements need not be searched for them. */
let hasForms = false;

const FORM = "form[toolname]";

/** The trees of a document that may hold forms: its own, and the shadow trees of its elements. */
class FormRoots {
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

  /** The forms in the subtree that may be tools; its shadow trees are watched from then on. */
  *formsIn(top: Element | Document | ShadowRoot): Generator<HTMLFormElement> {
    const own = isElement(top) ? [top] : [];
    for (const element of own) if (isMatch(element, FORM)) yield element as HTMLFormElement;
    yield* select(top, FORM) as NodeListOf<HTMLFormElement>;
    // Roots that the parser attached are found by a search of the whole document.
    if (!hasForms && own.length > 0) return;
    for (const element of [...own, ...select(top, "*")]) {
      const root = element.shadowRoot ?? closed.get(element);
      // A form's control may be named `shadowRoot`.
      if (root?.nodeType !== 11) continue;
      hasForms = true;
      this.watch(root);
      yield* this.formsIn(root);
    }
  }
}

/** Track shadow roots that are attached from now on, closed ones too. */
function trackShadowRoots(realm: Realm): void {
  const prototype = realm.Element.prototype;
  const { attachShadow } = prototype;
  Object.assign(prototype, {
    attachShadow(this: Element, options: ShadowRootInit): ShadowRoot {
      const root: ShadowRoot = attachShadow.call(this, options);
      hasForms = true;
      if (root.mode === "closed") closed.set(this, root);
      watchers.get(this.ownerDocument)?.watch(root);
      return root;
    },
  } satisfies Partial<Element>);
}
