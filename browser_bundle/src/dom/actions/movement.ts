/** Scrolls, waits, and goes to other addresses. */
import { isIgnored } from "../../base/agent_access.ts";
import { isElement, rectOf, renderedParent, styleOf, tagOf } from "../read/nodes.ts";
import type { PageState } from "../read/page_state.ts";
import { invalidArguments, type Direction, type Reply } from "../read/protocol.ts";
import { bringIntoView, hitAt } from "../touch/hit_test.ts";
import { outcomeOf } from "../touch/outcome.ts";

const DIRECTIONS: readonly Direction[] = ["up", "down", "left", "right", "top", "bottom"];
const MOST_SECONDS = 60;

export function scroll(
  page: PageState,
  { direction, amount, pp_id }: { direction: Direction; amount?: number; pp_id?: number },
): Promise<Reply> {
  if (!DIRECTIONS.includes(direction))
    throw invalidArguments(
      `there is no direction \`${String(direction)}\``,
      `use one of ${DIRECTIONS.map((word) => `\`${word}\``).join(", ")}`,
      "direction",
    );
  if (amount !== undefined && !(Number(amount) > 0))
    throw invalidArguments(`\`${String(amount)}\` is not an amount to scroll by`, "give pixels above 0", "amount");
  return outcomeOf(page, () => {
    const inside = pp_id === undefined ? null : page.element(pp_id);
    if (inside) bringIntoView(inside);
    const box = boxAround(page, inside, /^(left|right)$/.test(direction));
    const [width, height] = [box.clientWidth, box.clientHeight];
    const by = (length: number): number => Number(amount ?? length * 0.8);
    const before = [box.scrollLeft, box.scrollTop];
    const [left, top] = {
      up: [0, -by(height)],
      down: [0, by(height)],
      left: [-by(width), 0],
      right: [by(width), 0],
      top: [0, -box.scrollHeight],
      bottom: [0, box.scrollHeight],
    }[direction] as [number, number];
    box.scrollBy({ left, top, behavior: "instant" });
    const position = {
      top: Math.round(box.scrollTop),
      left: Math.round(box.scrollLeft),
      height: box.scrollHeight,
      width: box.scrollWidth,
      at_end: atEnd(box, direction),
    };
    const moved = Math.round(Math.abs(box.scrollLeft - (before[0] ?? 0)) + Math.abs(box.scrollTop - (before[1] ?? 0)));
    const what = box === page.top.scrollingElement ? "the page" : `\`${page.show(box)}\``;
    return {
      did: moved > 0 ? `scrolled ${what} ${moved} px ${direction}` : `${what} does not scroll further ${direction}`,
      position,
    };
  });
}

function atEnd(box: Element, direction: Direction): boolean {
  if (direction === "up" || direction === "top") return box.scrollTop <= 1;
  if (direction === "left") return Math.abs(box.scrollLeft) <= 1;
  if (direction === "right") return Math.abs(box.scrollLeft) + box.clientWidth >= box.scrollWidth - 1;
  return box.scrollTop + box.clientHeight >= box.scrollHeight - 1;
}

/** What to scroll: the box around an element, else the page, else the box in the middle of it. */
export function boxAround(page: PageState, inside: Element | null, across: boolean): Element {
  const whole = page.top.scrollingElement ?? page.top.documentElement;
  const scrolls = (box: Element): boolean =>
    across ? box.scrollWidth > box.clientWidth + 1 : box.scrollHeight > box.clientHeight + 1;
  const isBox = (box: Element): boolean => {
    const style = styleOf(box);
    return !!style && /auto|scroll/.test(across ? style.overflowX : style.overflowY) && scrolls(box);
  };
  if (!inside && scrolls(whole)) return whole;
  const { innerWidth, innerHeight } = page.window;
  const start = inside ?? hitAt(whole, innerWidth / 2, innerHeight / 2);
  for (let at = start; isElement(at); at = renderedParent(at)) {
    if (tagOf(at) !== "body" && tagOf(at) !== "html" && isBox(at) && rectOf(at).height > 0 && !isIgnored(at)) return at;
    if (tagOf(at) === "html" && at.ownerDocument !== page.top && scrolls(at)) return at;
  }
  return whole;
}

export function wait(page: PageState, { seconds }: { seconds: number }): Promise<Reply> {
  const time = Number(seconds);
  if (!(time >= 0 && time <= MOST_SECONDS))
    throw invalidArguments(`\`${String(seconds)}\` is not a time to wait`, `give 0 to ${MOST_SECONDS} seconds`, "seconds");
  return outcomeOf(page, async (_, departure) => {
    await departure.within(time * 1000);
    return { did: departure.leaves ? "waited until the page was left" : `waited ${time} s` };
  });
}

export function goToUrl(page: PageState, { url }: { url: string }): Promise<Reply> {
  let target: URL;
  try {
    target = new URL(String(url), page.top.baseURI);
  } catch {
    throw invalidArguments(
      `\`${String(url).slice(0, 200)}\` is not an address`,
      "write `https://…`, or a path such as `/basket`",
      "url",
    );
  }
  if (!/^https?:$/.test(target.protocol))
    throw invalidArguments(`\`${target.protocol}\` cannot be opened`, "use an address with `https:` or `http:`", "url");
  const other = target.origin !== page.window.location.origin;
  return outcomeOf(page, async (_, departure) => {
    page.window.location.assign(target.href);
    // The navigation begins after the server's response; a fragment of this page needs none.
    await departure.within(50);
    return {
      did: `went to \`${target.href}\`${other ? ", which is another site" : ""}`,
      ...(other ? { other_origin: true } : {}),
    };
  });
}
