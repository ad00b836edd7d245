/** `dom.js`: reads what a page shows, and acts on it as a person could. */
import { click, clickLink } from "./actions/click.ts";
import { findCode } from "./actions/code_samples.ts";
import { formDetails } from "./actions/form_details.ts";
import { enterData } from "./actions/form_entry.ts";
import { goToUrl, scroll, wait } from "./actions/movement.ts";
import { content, navigationOutline, sectionOutline } from "./actions/page_outline.ts";
import { summary } from "./actions/page_summary.ts";
import { results } from "./actions/result_list.ts";
import { search } from "./actions/site_search.ts";
import { linkedData } from "./actions/structured_data.ts";
import { tableDetails } from "./actions/table_details.ts";
import { everywhere } from "./read/nodes.ts";
import { checkedSelector, PageState } from "./read/page_state.ts";
import {
  denied, invalidArguments, type Action, type Camera, type Picture, type Snapshot, type SnapshotOptions,
} from "./read/protocol.ts";
import { snapshotOf } from "./read/snapshot.ts";
import { isShown } from "./read/visibility.ts";

export { toolPart, unknownModes } from "../base/agent_access.ts";

export interface Dom {
  /** The current content of the page, as plain data. */
  snapshot(options?: SnapshotOptions): Snapshot;
  /** Acts on the page or reads from it; plain data in and out. Throws `WebagentError`. */
  act(action: Action): Promise<unknown>;
}

export interface DomOptions {
  /** Loads `screenshot.js` for the first screenshot. */
  screenshot?: () => Promise<Camera>;
}

export function createDom(root: Document = document, options: DomOptions = {}): Dom {
  const page = new PageState(root);
  return {
    snapshot(limits) {
      const view = page.read();
      return snapshotOf(root, view, page.changes.look(), limits);
    },
    act: (action) => act(page, action, options.screenshot),
  };
}

// All actions, by their type.

type Take<T extends Action["type"]> = (
  page: PageState,
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
  linked_data: ({ top }) => linkedData(top),
  search,
  screenshot,
  goto_url: goToUrl,
};

export async function act(page: PageState, action: Action, load?: () => Promise<Camera>): Promise<unknown> {
  const type = Object.hasOwn(ACTIONS, action?.type) ? action.type : null;
  if (!type) {
    const types = Object.keys(ACTIONS)
      .map((name) => `\`${name}\``)
      .join(", ");
    throw invalidArguments(`there is no action \`${String(action?.type).slice(0, 100)}\``, `the actions are ${types}`, "type");
  }
  // Callers may send null for options that they leave out.
  const given = Object.fromEntries(Object.entries(action).filter(([, value]) => value !== null)) as Action;
  return await (ACTIONS[type] as (page: PageState, action: Action, load?: () => Promise<Camera>) => unknown)(
    page,
    given,
    load,
  );
}

/** Take a screenshot of the page or of an element. */
async function screenshot(
  page: PageState,
  { selector, pp_id }: { selector?: string; pp_id?: number },
  load?: () => Promise<Camera>,
): Promise<Picture> {
  const target =
    pp_id !== undefined ? page.element(pp_id) : selector ? bySelector(page, selector) : page.top.documentElement;
  if (target !== page.top.documentElement && !isShown(target))
    throw denied(`${page.show(target)} is not visible`, "open what hides it first");
  if (!load)
    throw denied("screenshots are not available here: `screenshot.js` is missing", "read the page with `snapshot`");
  return (await load()).capture(target);
}

function bySelector(page: PageState, selector: string): Element {
  const found = everywhere(page.top, checkedSelector(page.top, selector));
  const shown = found.find(isShown) ?? found[0];
  if (!shown)
    throw invalidArguments(
      `nothing in the page matches \`${selector.slice(0, 200)}\``,
      "take a new snapshot, and use a number from it",
      "selector",
    );
  return shown;
}
