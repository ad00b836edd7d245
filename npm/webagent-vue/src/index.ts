/** Tools of Vue components. */
import { onActivated, onBeforeUnmount, onDeactivated, onMounted, unref, type MaybeRef } from "vue";
import { offerTool, type ToolFunction, type ToolName } from "webagent-page/tools";

/**
 * Offer a function to the agent of the page while the component is mounted.
 *
 * The agent calls the latest function of a ref. Without an agent, and on a server, nothing happens.
 *
 * @param name The tool, as `webagents.md` names it.
 */
export function useTool<Name extends ToolName>(name: Name, tool: MaybeRef<ToolFunction<Name>>): void {
  let end: (() => void) | undefined;
  const call = (...given: unknown[]) => (unref(tool) as (...given: unknown[]) => unknown)(...given);
  const begin = () => {
    end ??= offerTool(name, call as ToolFunction<Name>);
  };
  const leave = () => {
    end?.();
    end = undefined;
  };
  onMounted(begin);
  onActivated(begin);
  onDeactivated(leave);
  onBeforeUnmount(leave);
}
