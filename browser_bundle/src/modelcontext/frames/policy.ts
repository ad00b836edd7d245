/** The permissions policy `tools`, as far as a page can know it: its frames' `allow`. */
import { namedOrigin } from "../origins.ts";
import { type Realm, originOf, reachable } from "../realm/window_realm.ts";

/** Whether the frame's `allow` gives `tools` to a document of the origin. */
export function allows(realm: Realm, frame: Element | null, origin: string): boolean {
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
 * Whether a document of the origin may have tools in that window, as seen from here: known for
 * children of documents that can be touched, believed of all others.
 */
export function permits(target: Window, origin: string): boolean {
  const parent = reachable(target.parent);
  if (!parent || parent === target) return true;
  return allows(parent, frameOf(parent.document, target), origin);
}

/** The elements of windows that were looked for; one that is gone shows its window no more. */
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
