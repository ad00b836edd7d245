/** Takes a screenshot of the page or of an element; loads `screenshot.js` for it. */
import { everywhere } from "../read/nodes.ts";
import type { PageState } from "../read/page_state.ts";
import { denied, invalidArguments, type Camera, type Picture } from "../read/protocol.ts";
import { isShown } from "../read/visibility.ts";

export async function screenshot(
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
  let found: Element[];
  try {
    found = everywhere(page.top, selector);
  } catch {
    throw invalidArguments(`\`${selector.slice(0, 200)}\` is not a selector`, "write one of CSS, such as `main`", "selector");
  }
  const shown = found.find(isShown) ?? found[0];
  if (!shown)
    throw invalidArguments(
      `nothing in the page matches \`${selector.slice(0, 200)}\``,
      "take a new snapshot, and use a number from it",
      "selector",
    );
  return shown;
}
