/** Tools of React components. */
import { useEffect, useRef } from "react";
import { offerTool, type ToolFunction, type ToolName } from "webagent-page/tools";

/**
 * Offer a function to the agent of the page while the component is mounted.
 *
 * The agent calls the function of the latest render. Without an agent, and on a server, nothing happens.
 *
 * @param name The tool, as `webagents.md` names it.
 */
export function useTool<Name extends ToolName>(name: Name, tool: ToolFunction<Name>): void {
  const latest = useRef(tool);
  useEffect(() => {
    latest.current = tool;
  });
  useEffect(() => {
    const call = (...given: unknown[]) => (latest.current as (...given: unknown[]) => unknown)(...given);
    return offerTool(name, call as ToolFunction<Name>);
  }, [name]);
}
