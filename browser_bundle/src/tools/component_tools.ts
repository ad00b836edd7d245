/** Tools of components, called through the page's own `components.js`, so that there is no second copy. */
import { describeThrown, isErrorKind, WebagentError, type ErrorKind } from "../base/errors.ts";
import { decode, type Encoded } from "../base/values.ts";
import type { Internals } from "../components/public_api.ts";
import { INTERNALS } from "../components/definition.ts";
import type { WebMcpError } from "../components/tool_errors.ts";
import type { OfferedTool, Running, Target, ToolPlace, ToolSource } from "./offers.ts";
import { frameGone } from "./webmcp_tools.ts";

/** Kinds of errors that a tool or the top page may report; all others become `threw`. */
const PASSED_KINDS = new Set<ErrorKind>([
  "invalid_arguments",
  "not_logged_in",
  "rate_limited",
  "denied",
  "not_cloneable",
  "too_large",
  "unknown_tool",
  "page_gone",
]);

/** The internals of this page's `components.js`; undefined until it is loaded. */
export function componentInternals(): Internals | undefined {
  // A frame or an element of that name is also found on `window`, but not as an own property.
  if (!Object.hasOwn(window, "webmcp")) return undefined;
  return (window as { webmcp?: { [INTERNALS]?: Internals } }).webmcp?.[INTERNALS];
}

export class ComponentTools implements ToolSource {
  #internals: Internals;
  /** The frame number of this document, which targets omit. */
  #own: number | undefined;

  constructor(internals: Internals) {
    this.#internals = internals;
  }

  list(): Promise<OfferedTool[]> {
    const tools = this.#internals.tools();
    this.#own = tools.find((tool) => tool.own)?.frame;
    return Promise.resolve(
      tools.map(({ own, frame, ...tool }) => ({
        ...tool,
        kind: "component" as const,
        ...(own ? {} : { frame }),
      })),
    );
  }

  has(target: Target): boolean {
    return target.kind === "component";
  }

  placeOf({ frame }: Target): ToolPlace {
    const view = this.#internals.windowOf?.(frame ?? this.#own ?? 0) ?? window;
    return { place: view, view };
  }

  async call(target: Target, input: Record<string, Encoded>, running: Running): Promise<unknown> {
    const frame = target.frame ?? this.#own ?? 0;
    const { component, name } = target;
    try {
      const parameters = decode(input) as object;
      return await this.#internals.execute(component, name, frame, parameters, running);
    } catch (thrown) {
      const { kind, message } = thrown as WebMcpError;
      // The tool was listed, so its frame went away before the call reached it.
      if (kind === "unknown_tool" && window === top && !this.#internals.windowOf?.(frame)) throw frameGone();
      throw new WebagentError(
        isErrorKind(kind) && PASSED_KINDS.has(kind)
          ? { kind, message }
          : { kind: "threw", message: describeThrown(thrown) },
      );
    }
  }
}
