/** `panel.js`: loaded when a person opens the panel, or if it was open on the previous page. */
import type { PanelAgent } from "../run/person.ts";
import { savedPanelState } from "./conversation_store.ts";
import { Panel } from "./panel.ts";
import { loadTexts } from "./panel_texts.ts";

export type { Panel } from "./panel.ts";
export type { PanelAgent } from "../run/person.ts";

let made: Promise<Panel> | undefined;

/** The panel of this page, its only one, in the page's language. */
function panelOf(agent: PanelAgent): Promise<Panel> {
  return (made ??= loadTexts().then(() => new Panel(agent)));
}

/** Show the panel. */
export async function openPanel(agent: PanelAgent): Promise<Panel> {
  const panel = await panelOf(agent);
  panel.open();
  return panel;
}

/** Show the panel as it was on the previous page. */
export async function restorePanel(agent: PanelAgent): Promise<Panel> {
  const panel = await panelOf(agent);
  const shown = savedPanelState();
  if (shown === "open") panel.open(false);
  if (shown === "minimised") panel.minimise();
  return panel;
}
