/** Tools of components, which `components.js` keeps for all frames; reached without a second copy. */
import { describeThrown, isErrorKind, WebagentError, type ErrorKind } from "../base/errors.ts";
import { decode, type Encoded } from "../base/values.ts";
import type { Internals } from "../components/public_api.ts";
import { INTERNALS } from "../components/public_names.ts";
import type { WebMcpError } from "../components/tool_errors.ts";
import type { OfferedTool, Running, Target, ToolSource } from "./offers.ts";

/** What a tool or the shell may say of a failure; all else is the registry's own to say. */
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

/** That of this page; undefined as long as no script has brought it. */
export function componentInternals(): Internals | undefined {
  // A frame or an element of that name answers to it too, but is no property of the window's own.
  if (!Object.hasOwn(window, "webmcp")) return undefined;
  return (window as { webmcp?: { [INTERNALS]?: Internals } }).webmcp?.[INTERNALS];
}

export class ComponentTools implements ToolSource {
  #shell: Internals;
  /** The frame number of this document, which targets leave out. */
  #own: number | undefined;

  constructor(shell: Internals) {
    this.#shell = shell;
  }

  list(): Promise<OfferedTool[]> {
    const tools = this.#shell.tools();
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

  async call(target: Target, input: Record<string, Encoded>, running: Running): Promise<unknown> {
    const frame = target.frame ?? this.#own ?? 0;
    const { component, name } = target;
    try {
      const parameters = decode(input) as object;
      return await this.#shell.execute(component, name, frame, parameters, running);
    } catch (thrown) {
      const { kind, message } = thrown as WebMcpError;
      throw new WebagentError(
        isErrorKind(kind) && PASSED_KINDS.has(kind)
          ? { kind, message }
          : { kind: "threw", message: describeThrown(thrown) },
      );
    }
  }
}
