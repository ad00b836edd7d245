/**
 * Hands a run from page to page within a tab.
 *
 * A page resumes a run only if the page that held it was left for this one. A page that is left
 * writes down the time; it was left for the page whose loading began before that time. This excludes
 * a duplicated tab and a window that a script opened, whose storage was copied while the run was
 * held, and a closed tab that is opened again.
 */
import { takeLock, type Lock } from "./run_lock.ts";
import { RunStore, tabStorage, type RunMark } from "./tab_storage.ts";

/** Resumes and abandons the run when pages come and go. */
interface RunOwner {
  /** Resume the run in the store. */
  resume(): void;
  /** The page is left: stop at once, without events and without saving. */
  abandon(): void;
}

/** Most pages that resume a run; more than that is a redirect loop. */
const MOST_RESUMES = 20;

/** A run that was left longer ago than this is not resumed. */
const MOST_AGE_MS = 3_600_000;
/** By how much two clocks of one machine may differ. */
const SLACK_MS = 200;
/** How long the previous page may take to release its lock. */
const LOCK_TIMEOUT_MS = 3000;

export class RunKeeper {
  readonly #store: RunStore;
  readonly #owner: RunOwner;
  #lock: Lock | undefined;

  constructor(owner: RunOwner, storage = tabStorage()) {
    this.#owner = owner;
    this.#store = new RunStore(storage);
    addEventListener("pagehide", () => this.#leave());
    addEventListener("pageshow", (event) => {
      // The page was in the back/forward cache; the tab's storage is newer than the page's state.
      if (event.persisted) void this.takeUp(true).then((taken) => taken && owner.resume());
    });
  }

  /** Hold a run that begins on this page; drops an earlier run of the tab. */
  async begin(): Promise<void> {
    this.#store.clear();
    this.#release();
    const id = [...crypto.getRandomValues(new Uint32Array(4))].map((n) => n.toString(36)).join("");
    this.#store.hold({ v: 1, id, left: null, resumed: 0 });
    await this.#acquireLock(id);
  }

  /**
   * Take over the tab's run if it continues here; returns whether this page holds it now.
   *
   * @param restored Whether the page comes back as it was, from the back/forward cache.
   */
  async takeUp(restored = false): Promise<boolean> {
    await (restored ? this.#left() : untilShown());
    const kept = this.#store.kept();
    if (!kept || this.#store.mark) return false;
    const { mark } = kept;
    if (!isHandedOn(mark, restored) || mark.resumed >= MOST_RESUMES) {
      this.#store.clear();
      return false;
    }
    // The page holds the run already now: if it is left during the wait, it hands the run on.
    const taken = { ...mark, left: null, resumed: mark.resumed + 1 };
    this.#store.hold(taken);
    if (!(await this.#acquireLock(mark.id))) {
      // The page of this run is still alive elsewhere, so this tab has a copy.
      if (this.#store.mark === taken) this.#store.clear();
      return false;
    }
    if (this.#store.mark !== taken) return false;
    try {
      this.#store.save(kept.text);
      return true;
    } catch {
      this.end();
      return false;
    }
  }

  /** The run's text; null when this page holds no run, or nothing of it was saved. */
  load(): string | null {
    return this.#store.load();
  }

  /**
   * Keep the run's text.
   *
   * @throws WebagentError `too_large` when it has to be shorter, `cancelled` when the page was left.
   */
  save(text: string): void {
    this.#store.save(text);
  }

  /** End the run; has no effect on a run of another page. */
  end(): void {
    if (this.#store.mark) this.#store.clear();
    this.#release();
  }

  /** A restored page gets its event before the page that is being left does, so wait for that one. */
  async #left(): Promise<void> {
    const kept = this.#store.kept();
    if (kept) (await takeLock(kept.mark.id, LOCK_TIMEOUT_MS))?.release();
  }

  #leave(): void {
    if (!this.#store.mark) return;
    this.#store.leave();
    this.#owner.abandon();
    this.#release();
  }

  async #acquireLock(id: string): Promise<boolean> {
    const lock = await takeLock(id, LOCK_TIMEOUT_MS);
    if (!lock) return false;
    // During the wait the page may have been left, or the run ended.
    if (this.#store.mark?.id === id) this.#lock = lock;
    else lock.release();
    return true;
  }

  #release(): void {
    this.#lock?.release();
    this.#lock = undefined;
  }
}

/** Whether the page that held the run was left for this one. */
function isHandedOn({ left }: RunMark, restored: boolean): boolean {
  if (left === null || Date.now() - left > MOST_AGE_MS) return false;
  // A page from the back/forward cache is in its own tab; it cannot be a copy.
  return restored || Date.now() - performance.now() <= left + SLACK_MS;
}

/** A prerendered page must wait until it is shown. */
async function untilShown(): Promise<void> {
  const prerendering = () => (document as { prerendering?: boolean }).prerendering === true;
  if (!prerendering()) return;
  await new Promise((resolve) => {
    document.addEventListener("prerenderingchange", resolve, { once: true });
  });
}
