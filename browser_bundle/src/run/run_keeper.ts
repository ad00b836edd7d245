/**
 * Hands a run from page to page of one tab.
 *
 * A run goes on where the page that held it was left for this one. The page that is left writes
 * down when; a page whose loading began before that moment is what it was left for. So nobody else
 * takes a run up: not a duplicated tab or a window that a script opened, whose storage is a copy
 * made while the run was held; not a tab that was closed and is opened again.
 */
import { takeLock, type Lock } from "./run_lock.ts";
import { RunStore, tabStorage, type RunMark } from "./tab_storage.ts";

/** What the agent does about its run when pages come and go. */
interface RunOwner {
  /** Take up the run in the store. */
  resume(): void;
  /** The page is left: stop at once, say nothing, save nothing. */
  abandon(): void;
}

/** Pages that took up one run; more than that is a circle. */
const MOST_RESUMES = 20;

/** A run that was left longer ago than this has ended. */
const MOST_AGE_MS = 3_600_000;
/** How far two clocks of one machine may differ. */
const SLACK_MS = 200;
/** How long the page before may take to let go of its lock. */
const PATIENCE_MS = 3000;

export class RunKeeper {
  readonly #store: RunStore;
  readonly #owner: RunOwner;
  #lock: Lock | undefined;

  constructor(owner: RunOwner, storage = tabStorage()) {
    this.#owner = owner;
    this.#store = new RunStore(storage);
    addEventListener("pagehide", () => this.#leave());
    addEventListener("pageshow", (event) => {
      // This page was asleep; the run is what the tab keeps now, not what the page remembers.
      if (event.persisted) void this.takeUp(true).then((taken) => taken && owner.resume());
    });
  }

  /** Hold a run that begins on this page; one that the tab kept before is forgotten. */
  async begin(): Promise<void> {
    this.#store.clear();
    this.#release();
    const id = [...crypto.getRandomValues(new Uint32Array(4))].map((n) => n.toString(36)).join("");
    this.#store.hold({ v: 1, id, left: null, resumed: 0 });
    await this.#acquireLock(id);
  }

  /**
   * Whether the tab keeps a run that goes on here; then this page holds it.
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
    // From here on the page holds it: left while it waits, it hands the run on.
    const taken = { ...mark, left: null, resumed: mark.resumed + 1 };
    this.#store.hold(taken);
    if (!(await this.#acquireLock(mark.id))) {
      // Another page of the same run is alive; this tab has a copy.
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

  /** The run is over; a page that was left has no say in it any more. */
  end(): void {
    if (this.#store.mark) this.#store.clear();
    this.#release();
  }

  /** A page that comes back hears of it before the page that was shown hears that it is left. */
  async #left(): Promise<void> {
    const kept = this.#store.kept();
    if (kept) (await takeLock(kept.mark.id, PATIENCE_MS))?.release();
  }

  #leave(): void {
    if (!this.#store.mark) return;
    this.#store.leave();
    this.#owner.abandon();
    this.#release();
  }

  async #acquireLock(id: string): Promise<boolean> {
    const lock = await takeLock(id, PATIENCE_MS);
    if (!lock) return false;
    // The page may have been left, or the run given up, while it waited.
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
  // A page out of the cache is in the tab where it was; nothing can copy it.
  return restored || Date.now() - performance.now() <= left + SLACK_MS;
}

/** A page that is rendered in advance is nobody's yet. */
async function untilShown(): Promise<void> {
  const prerendering = () => (document as { prerendering?: boolean }).prerendering === true;
  if (!prerendering()) return;
  await new Promise((resolve) => {
    document.addEventListener("prerenderingchange", resolve, { once: true });
  });
}
