/** All that can be done and read, by its type. */
import { wrong } from "../touch/refusal.ts";
import type { Action } from "../model.ts";
import type { Page } from "../page/page.ts";
import { click, clickLink } from "./click.ts";
import { content } from "./content.ts";
import { enterData } from "./enter_data.ts";
import { findCode } from "./find_code.ts";
import { formDetails } from "./form_details.ts";
import { goToUrl, scroll, wait } from "./moving.ts";
import { navigationOutline } from "./navigation_outline.ts";
import { results } from "./results.ts";
import { type Camera, screenshot } from "./screenshot.ts";
import { search } from "./search.ts";
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
