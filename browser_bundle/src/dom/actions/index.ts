/** All that can be done and read, by its type. */
import { wrong } from "../touch/refusal.ts";
import type { Action } from "../read/protocol.ts";
import type { Page } from "../read/page_state.ts";
import { click, clickLink } from "./click.ts";
import { content } from "./content.ts";
import { enterData } from "./form_entry.ts";
import { findCode } from "./code_samples.ts";
import { formDetails } from "./form_details.ts";
import { goToUrl, scroll, wait } from "./movement.ts";
import { navigationOutline } from "./page_outline.ts";
import { results } from "./result_list.ts";
import { type Camera, screenshot } from "./screenshot_action.ts";
import { search } from "./site_search.ts";
import { sectionOutline } from "./section_outline.ts";
import { summary } from "./summary.ts";
import { tableDetails } from "./table_details.ts";

type Take<T extends Action["type"]> = (
  page: Page,
  action: Extract<Action, { type: T }>,
  load?: () => Promise<Camera>,
) => unknown;

const ACTIONS: { [T in Action["type"]]: Take<T> } = {
  click,
  click_link: clickLink,
  enter_data: enterData,
  scroll,
  wait,
  find_code: findCode,
  navigation_outline: navigationOutline,
  section_outline: sectionOutline,
  form_details: formDetails,
  table_details: tableDetails,
  summary,
  content,
  results,
  search,
  screenshot,
  goto_url: goToUrl,
};

export async function act(page: Page, action: Action, load?: () => Promise<Camera>): Promise<unknown> {
  const type = Object.hasOwn(ACTIONS, action?.type) ? action.type : null;
  if (!type) {
    const types = Object.keys(ACTIONS)
      .map((name) => `\`${name}\``)
      .join(", ");
    throw wrong(`there is no action \`${String(action?.type).slice(0, 100)}\``, `the actions are ${types}`, "type");
  }
  // What a caller leaves open may come as null.
  const given = Object.fromEntries(Object.entries(action).filter(([, value]) => value !== null)) as Action;
  return await (ACTIONS[type] as (page: Page, action: Action, load?: () => Promise<Camera>) => unknown)(
    page,
    given,
    load,
  );
}
