/** The outline of a page: its headings as a tree, how each section begins, what is in it. */
import type { Page } from "../read/page_state.ts";
import { titleOf } from "../read/nodes.ts";
import { line } from "../read/page_text.ts";

export interface Section {
  /** 0 is the page itself. */
  level: number;
  heading: string;
  /** The beginning of its text, without the sections in it. */
  text: string;
  /** Numbers of the elements in it, without those of the sections in it. */
  pp_ids: number[];
  children: Section[];
}

const MOST_SECTIONS = 300;
const MOST_IDS = 100;

export function sectionOutline(page: Page, { max_text = 200 }: { max_text?: number }): Section {
  const most = Math.min(Math.max(Number(max_text) || 0, 0), 5000);
  const top: Section = { level: 0, heading: line(titleOf(page.top)), text: "", pp_ids: [], children: [] };
  const open: Section[] = [top];
  let count = 0;
  for (const { text, key, ids, level } of page.read().lines) {
    if (level > 0 && count < MOST_SECTIONS) {
      count += 1;
      while (open.length > 1 && (open.at(-1) as Section).level >= level) open.pop();
      const section: Section = { level, heading: line(key), text: "", pp_ids: ids.slice(0, MOST_IDS), children: [] };
      (open.at(-1) as Section).children.push(section);
      open.push(section);
      continue;
    }
    const section = open.at(-1) as Section;
    if (section.text.length < most && key) section.text = line(`${section.text} ${text}`, most);
    section.pp_ids.push(...ids.slice(0, Math.max(0, MOST_IDS - section.pp_ids.length)));
  }
  return top;
}
