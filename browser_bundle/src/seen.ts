/** What sees and touches this page; it is loaded when it is first needed. */
import type { Dom } from "./tools/python_bridge.ts";
import type * as DomPart from "./dom/index.ts";
import { part } from "./base/lazy_chunks.ts";

/** @param base URL of the bundle. */
export function seenFrom(base: string): () => Promise<Dom> {
  let seen: Dom | undefined;
  return async () => {
    const { createDom } = await part<typeof DomPart>(base, "dom");
    return (seen ??= createDom(document, { screenshot: () => part(base, "screenshot") }));
  };
}
