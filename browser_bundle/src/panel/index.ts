/** `panel.js`: loaded when a person opens the panel, or if it was open on the previous page. */
import type { PanelAgent } from "../run/person.ts";
import { savedPanelState } from "./conversation_store.ts";
import { Panel } from "./panel.ts";

export type { Panel } from "./panel.ts";
export type { PanelAgent } from "../run/person.ts";

let panel: Panel | undefined;

/** Show the panel of this page, its only one. */
export function openPanel(agent: PanelAgent): Panel {
  panel ??= new Panel(agent);
  panel.open();
  return panel;
}

/** Show the panel as it was on the previous page. */
export function restorePanel(agent: PanelAgent): Panel {
  panel ??= new Panel(agent);
  const shown = savedPanelState();
  if (shown === "open") panel.open(false);
  if (shown === "minimised") panel.minimise();
  return panel;
}
