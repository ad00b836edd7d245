/** Whether a document may have tools: read from same-origin parents, requested from others. */
import { namedOrigin, originOf, reachable, type Realm } from "../realm/window_realm.ts";
import { send } from "./document_messages.ts";
import type { RequestExchange } from "./request_exchange.ts";

export class Permission {
  readonly #realm: Realm;
  readonly #exchange: RequestExchange;
  #granted: boolean | undefined;
  #asking: Promise<boolean> | undefined;

  /**
   * @param parent The permission of the parent, if its document is accessible and has tools.
   */
  constructor(realm: Realm, exchange: RequestExchange, parent: Permission | undefined) {
    this.#realm = realm;
    this.#exchange = exchange;
    const local = reachable(realm.parent);
    if (realm.parent === realm) this.#granted = true;
    else if (!local) void this.settled();
    else if (!allows(local, realm.frameElement, originOf(realm))) this.#granted = false;
    else if (parent?.granted === undefined && parent) this.#asking = this.#follow(parent);
    else this.#granted = parent?.granted ?? true;
    this.#greet();
  }

  /** Undefined until the parent has answered. */
  get granted(): boolean | undefined {
    return this.#granted;
  }

  /** The parent's answer; no answer counts as a no, until the next request. */
  async settled(): Promise<boolean> {
    return this.#granted ?? (this.#asking ??= this.#ask());
  }

  async #follow(parent: Permission): Promise<boolean> {
    return (this.#granted = await parent.settled());
  }

  async #ask(): Promise<boolean> {
    const { parent, location, document } = this.#realm;
    const origin =
      location.ancestorOrigins?.[0] ?? (document.referrer && new URL(document.referrer).origin);
    // Only `*` reaches a parent whose origin is opaque or unknown to this frame.
    const answer = await this.#exchange.ask(parent, !origin || origin === "null" ? "*" : origin, {
      type: "hello",
    });
    if (answer === null) this.#asking = undefined;
    else this.#granted = answer === true;
    return answer === true;
  }

  /** Announces to the ancestors that this window answers, and learns their origins. */
  #greet(): void {
    let target: Window = this.#realm;
    for (const origin of Array.from(this.#realm.location.ancestorOrigins ?? [])) {
      target = target.parent;
      if (origin === "null" || reachable(target)) continue;
      this.#exchange.meet(target, origin);
      send(target, origin, { type: "hello" });
    }
  }
}

/** Whether the frame's `allow` grants `tools` to a document of the origin. */
function allows(realm: Realm, frame: Element | null, origin: string): boolean {
  const own = originOf(realm);
  const directive = (frame?.getAttribute("allow") ?? "")
    .split(";")
    .map((part) => part.trim().split(/\s+/))
    .find(([feature]) => feature === "tools");
  if (!directive) return origin !== "null" && origin === own;
  const sources = directive.slice(1);
  return (sources.length ? sources : ["'src'"]).some((source) => {
    if (source === "*") return true;
    if (source === "'self'") return origin === own;
    if (source === "'src'") return frame !== null && originOfSource(frame, own) === origin;
    return namedOrigin(source) === origin;
  });
}

/**
 * Whether a document of the origin may have tools in that window, as seen from here: checked for
 * children of accessible documents, assumed for all others.
 */
export function permits(target: Window, origin: string): boolean {
  const parent = reachable(target.parent);
  if (!parent || parent === target) return true;
  return allows(parent, frameOf(parent.document, target), origin);
}

/** Cached frame elements by window; a removed element no longer shows its window. */
const frames = new WeakMap<Window, HTMLIFrameElement>();

function frameOf(root: ParentNode, target: Window): Element | null {
  const known = frames.get(target);
  if (known?.contentWindow === target) return known;
  for (const element of root.querySelectorAll<HTMLIFrameElement>("*")) {
    if (element.contentWindow === target) {
      frames.set(target, element);
      return element;
    }
    const inside = element.shadowRoot && frameOf(element.shadowRoot, target);
    if (inside) return inside;
  }
  return null;
}

function originOfSource(frame: Element, own: string): string {
  const sandbox = frame.getAttribute("sandbox");
  if (sandbox !== null && !/\ballow-same-origin\b/i.test(sandbox)) return "null";
  const source = frame.getAttribute("src");
  const inherits =
    frame.hasAttribute("srcdoc") || !source || /^\s*(about|javascript):/i.test(source);
  return inherits ? own : (namedOrigin((frame as HTMLIFrameElement).src) ?? "null");
}
