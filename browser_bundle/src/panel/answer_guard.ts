/** Lets an answer count only if the person could see what they answer. */

/** How long a request has to be where it is before it can be answered. */
const SETTLE_MS = 500;
/** How often a browser looks what is painted over a request; it takes no less. */
const LOOK_MS = 100;

/** `isVisible` and its options are in Chromium alone. */
type VisibilityEntry = IntersectionObserverEntry & { isVisible?: boolean };
type VisibilityOptions = IntersectionObserverInit & { trackVisibility: boolean; delay: number };

export class AnswerGuard {
  #changed: () => void;
  /** Elements that have to be read to the end, and whether they were. */
  #scrolling = new Map<HTMLElement, boolean>();
  #sizes = new ResizeObserver(() => this.look());
  #visibility: IntersectionObserver | undefined;
  #buttons: HTMLElement | undefined;
  #frame = 0;
  #place = "";
  #since = 0;
  #hasSettled = false;
  #covered = false;
  #announced = "";

  /** @param changed Called when one of the getters has another value. */
  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** Watch a request that is shown now, and the buttons that answer it. */
  begin(card: HTMLElement, buttons: HTMLElement): void {
    this.#buttons = buttons;
    // A click that was meant for what was here before must not answer: a page or a model can have a
    // request appear, or move, just when the person clicks.
    const each = () => {
      this.look();
      this.#frame = requestAnimationFrame(each);
    };
    this.#frame = requestAnimationFrame(each);
    // Something that is painted over the request lets clicks through if it wants to, so the clicks
    // themselves do not show it. Browsers without `trackVisibility` cannot find it.
    if ("isVisible" in IntersectionObserverEntry.prototype) {
      const options: VisibilityOptions = { trackVisibility: true, delay: LOOK_MS };
      this.#visibility = new IntersectionObserver((entries) => {
        const last = entries.at(-1) as VisibilityEntry;
        this.#covered = last.isIntersecting && last.isVisible === false;
        this.look();
      }, options);
      this.#visibility.observe(card);
    }
    this.look();
  }

  /** The request is answered or withdrawn. */
  end(): void {
    cancelAnimationFrame(this.#frame);
    this.#sizes.disconnect();
    this.#visibility?.disconnect();
    this.#visibility = this.#buttons = undefined;
    this.#scrolling.clear();
    this.#covered = this.#hasSettled = false;
    this.#place = this.#announced = "";
  }

  /** Expect that this element is scrolled to its end. */
  expectRead = (element: HTMLElement): void => {
    this.#scrolling.set(element, false);
    this.#sizes.observe(element);
    element.addEventListener("scroll", () => this.look());
  };

  /** Whether the buttons have been where they are for long enough. */
  get settled(): boolean {
    // The last look may be older than a movement.
    this.#measure();
    const settled = this.#place !== "" && performance.now() - this.#since >= SETTLE_MS;
    this.#hasSettled ||= settled;
    return settled;
  }

  /**
   * Whether something of the page is painted over the request, where the browser can say so.
   *
   * While the panel appears a part of it is covered, so this counts once the buttons have settled.
   * It counts from then on: its hint moves the buttons, and must not withdraw itself thereby.
   */
  get covered(): boolean {
    return this.#covered && this.#hasSettled;
  }

  /** The first element that was not read to its end. */
  get unread(): HTMLElement | undefined {
    for (const [element, read] of this.#scrolling) if (!read) return element;
    return undefined;
  }

  /** Show the next part of what was not read yet. */
  readOn(): void {
    const element = this.unread;
    if (!element) return;
    element.focus({ preventScroll: true });
    element.scrollIntoView({ block: "nearest" });
    element.scrollBy({ top: element.clientHeight * 0.9 });
  }

  /** Look whether something has changed; done often, and after a change of our own. */
  look(): void {
    this.#measure();
    for (const [element, read] of this.#scrolling) if (!read && isAtEnd(element)) this.#scrolling.set(element, true);
    const now = `${this.settled} ${this.covered} ${this.unread === undefined}`;
    if (now === this.#announced) return;
    this.#announced = now;
    this.#changed();
  }

  #measure(): void {
    const { x = 0, y = 0, width = 0, height = 0 } = this.#buttons?.getBoundingClientRect() ?? {};
    const place = height > 0 ? [x, y, width, height].map(Math.round).join() : "";
    if (place === this.#place) return;
    this.#place = place;
    this.#since = performance.now();
  }
}

/** Whether the end of an element that scrolls is in view; blocks that wait are not there yet. */
function isAtEnd(element: HTMLElement): boolean {
  const { scrollTop, scrollHeight, clientHeight, lastElementChild } = element;
  if (lastElementChild?.classList.contains("waiting")) return false;
  return clientHeight > 0 && scrollTop + clientHeight >= scrollHeight - 2;
}
