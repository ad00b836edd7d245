/** The eyes and hands of an agent in a page: what is shown, and what a person could do there. */
import { act } from "./actions/index.ts";
import type { Camera } from "./actions/screenshot_action.ts";
import type { Action, Snapshot, SnapshotOptions } from "./read/protocol.ts";
import { Page } from "./read/page_state.ts";
import { snapshotOf } from "./read/snapshot.ts";

export interface Dom {
  /** What the page shows now; plain data. */
  snapshot(options?: SnapshotOptions): Snapshot;
  /** Does or reads something; plain data in and out. Throws `WebagentError`. */
  act(action: Action): Promise<unknown>;
}

export interface DomOptions {
  /** Loads `screenshot.js`, when the first picture is asked for. */
  screenshot?: () => Promise<Camera>;
}

export function createDom(root: Document = document, options: DomOptions = {}): Dom {
  const page = new Page(root);
  return {
    snapshot(limits) {
      const view = page.read();
      return snapshotOf(root, view, page.changes.look(), limits);
    },
    act: (action) => act(page, action, options.screenshot),
  };
}
