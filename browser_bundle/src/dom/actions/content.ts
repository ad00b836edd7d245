/** What a page has to say, without its navigation, its sidebars and its foot: words alone. */
import type { Page } from "../read/page_state.ts";
import type { Line } from "../read/line_writer.ts";

const MOST_CHARS = 100_000;
/** The words of a line are kept up to this length; longer ones are in its text. */
const KEPT = 499;
const MARK = /\[\d+\] [a-z]+(?: "([^"]*)")?(?: \([^)]*\))?/g;

export interface Content {
  text: string;
  truncated: boolean;
}

export function content(page: Page): Content {
  const { entries, lines, truncated } = page.read();
  const main = entries.find(({ info }) => info.role === "main")?.info.id;
  const start = main === undefined ? 0 : Math.max(0, lines.findIndex(({ ids }) => ids.includes(main)));
  const said = lines.slice(start).filter(({ side, key }) => side === 0 && key);
  const text = said.map(wordsOf).join("\n");
  return { text: text.slice(0, MOST_CHARS), truncated: truncated || text.length > MOST_CHARS };
}

function wordsOf({ text, key, level }: Line): string {
  if (level > 0) return `${"#".repeat(Math.min(level, 6))} ${key}`;
  const words = key.length < KEPT ? key : text.replace(MARK, "$1").replace(/ {2,}/g, " ").trim();
  // Between the name of a link and a sign there is none.
  return words.replace(/\\\[(?=\d+\])/g, "[").replace(/ (?=[,.;:!?)])/g, "");
}
