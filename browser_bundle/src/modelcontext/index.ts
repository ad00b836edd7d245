/** `modelcontext.js`: gives a page `document.modelContext`, or completes the browser's own. */
import { DocumentTools } from "./document_tools.ts";
import { watchForms } from "./forms/form_tools.ts";
import { completeNative, defineAlias, isNative } from "./legacy_alias.ts";
import { defineModelContext } from "./model_context.ts";
import { extend } from "./realm/web_idl.ts";
import { reachable, type Realm } from "./realm/window_realm.ts";
import { defineToolEvent } from "./tool_events.ts";

/** Property of windows by which the documents of an origin find each other's tools. */
const KEY = Symbol.for("webagent.modelContext");
type Installed = (document: Document) => DocumentTools | undefined;

function installedIn(target: Window): Installed | undefined {
  return (target as never as Record<symbol, Installed | undefined>)[KEY];
}

/** The tools of another window's document, if this one may access it and it has any. */
function peerIn(target: Window): DocumentTools | undefined {
  const local = reachable(target);
  return local ? installedIn(local)?.(local.document) : undefined;
}

/** Options of the site, as `data-` attributes of the script or as members of a global. */
type Options = Partial<Record<"navigator" | "validation", string>>;

/** Installs the interfaces in the window, once, and starts its current document. */
function install(realm: Realm, options: Options): void {
  const installed = installedIn(realm);
  if (installed) return void installed(realm.document);
  if (!realm.isSecureContext) return;
  const installIn = (child: Realm) => install(child, options);
  if (isNative(realm)) {
    Object.defineProperty(realm, KEY, { value: () => undefined });
    completeNative(realm);
    return adoptChildren(realm, installIn);
  }
  if ("modelContext" in realm.Document.prototype) return;

  const interfaces = {
    context: defineModelContext(realm, options.validation === "on"),
    activated: defineToolEvent(realm, "ToolActivatedEvent"),
    cancelled: defineToolEvent(realm, "ToolCancelEvent"),
  };
  const documents = new WeakMap<Document, DocumentTools>();
  const toolsOf = (document: Document): DocumentTools => {
    const known = documents.get(document);
    if (known) return known;
    const tools = new DocumentTools(document, realm, interfaces, peerIn);
    documents.set(document, tools);
    if (tools.active) {
      watchForms(document, tools.tools);
      adoptChildren(realm, installIn);
    }
    return tools;
  };

  Object.defineProperty(realm, KEY, { value: toolsOf });
  const brand = Object.getOwnPropertyDescriptor(realm.Node.prototype, "nodeType")?.get;
  extend(realm.Document.prototype, {
    get modelContext(): EventTarget {
      if (brand?.call(this) !== 9) throw new realm.TypeError("Illegal invocation");
      return toolsOf(this as never as Document).context;
    },
  });
  if (options.navigator !== "off") defineAlias(realm, () => toolsOf(realm.document).context);
  toolsOf(realm.document);
}

install(window, {
  // A script that is injected has no tag.
  ...(globalThis as { __webagentModelContext?: Options }).__webagentModelContext,
  ...document.currentScript?.dataset,
});

/**
 * Installs tools in the same-origin frames of a document, when they are added and when they load.
 *
 * No script of ours runs in some of them, such as `about:blank` and `srcdoc`.
 */
export function adoptChildren(realm: Realm, install: (child: Realm) => void): void {
  const adopt = (): void => {
    for (let index = 0; index < realm.length; index += 1) {
      const child = reachable(realm[index] as Window);
      if (child) install(child);
    }
  };
  new realm.MutationObserver(adopt).observe(realm.document, { childList: true, subtree: true });
  realm.document.addEventListener("load", adopt, true);
  adopt();
}
