/** Tools of components, which `components.js` keeps for all frames; reached without a second copy. */
import { WebagentError, describeThrown, type ErrorKind } from "../errors.ts";
import { decode, type Encoded } from "../values.ts";
import type { OfferedTool, Running, Target, ToolSource } from "./offers.ts";

/** What `components.js` shows to the agent of its page. */
export interface ComponentShell {
  tools(): ComponentTool[];
  execute(
    component: string | undefined,
    name: string,
    frame: number,
    parameters: object,
    options: { signal: AbortSignal },
  ): Promise<unknown>;
  onChange(listener: () => void): void;
}

interface ComponentTool {
  name: string;
  component?: string;
  description: string;
  inputSchema: object;
  origin: string;
  frame: number;
  own: boolean;
}

/** That of this page; undefined as long as no script has brought it. */
export function componentShell(): ComponentShell | undefined {
  const api = (window as { webmcp?: { [SHELL]?: ComponentShell } }).webmcp;
  return api?.[SHELL];
}

const SHELL: unique symbol = Symbol.for("webagent.components") as never;

export class ComponentTools implements ToolSource {
  #shell: ComponentShell;
  /** The frame number of this document, which targets leave out. */
  #own: number | undefined;

  constructor(shell: ComponentShell) {
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
      const kind = ((thrown as { kind?: ErrorKind } | null)?.kind ?? "threw") as ErrorKind;
      throw new WebagentError({ kind, message: describeThrown(thrown) });
    }
  }
}
