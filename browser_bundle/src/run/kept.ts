/** Whether this tab keeps a run: all that a page without one has to know. */

/** Where in sessionStorage the run of a tab is. */
export const RUN_KEY = "webagent.run";

/** A page that may not use its storage keeps nothing. Frames leave runs to the page around them. */
export function runIsKept(): boolean {
  try {
    return window.top === window && sessionStorage.getItem(RUN_KEY) !== null;
  } catch {
    return false;
  }
}
