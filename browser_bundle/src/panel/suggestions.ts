/**
 * Suggestions for an empty panel, from the text of the site's manifest. Python reads it when the first goal is
 * there, which is too late for them.
 */

interface Suggestions {
  /** Empty if the site has none. */
  greeting: string;
  goals: string[];
}

/** Limits of `webagent.checks.suggestions`, which reports a section that breaks one. */
const MOST_GOALS = 6;
const LONGEST_GOAL = 80;
const LONGEST_GREETING = 200;
/** Most goals that are made from tools. */
const MOST_TOOLS = 4;

const ITEM = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:[ \t]+(.*)|$)/;
/** Code, links and emphasis: signs of a text for models or developers. */
const MARKUP = /[`<>{}[\]|]|\*\*|__|:\/\//;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^ {0,3}##?[ \t]+(.{1,200})/;
const NAME = /^`?([a-z_$][\w$]*)`?$/;

/** The suggestions of a manifest: its section `Suggestions`, or else the names of its first tools. */
export function suggestionsIn(text: string): Suggestions {
  const sections = sectionsOf(text);
  const own = sections.find(({ title }) => title.replace(/^[*_`: \t]+|[*_`: \t]+$/g, "").toLowerCase() === "suggestions");
  return (own && goalsIn(own.lines)) ?? { greeting: "", goals: sections.flatMap(toolTitle).slice(0, MOST_TOOLS) };
}

interface Section {
  title: string;
  lines: string[];
}

/** The sections of a manifest; code has no headings. */
function sectionsOf(text: string): Section[] {
  const sections: Section[] = [];
  let fence = "";
  for (const line of text.split(/\r\n?|\n/)) {
    const mark = FENCE.exec(line)?.[1] ?? "";
    const title = fence || mark ? undefined : HEADING.exec(line)?.[1];
    if (!fence) fence = mark;
    else if (mark.startsWith(fence)) fence = "";
    if (title === undefined) sections.at(-1)?.lines.push(line);
    else sections.push({ title: title.trim(), lines: [] });
  }
  return sections;
}

/** The greeting and the goals of a section; undefined if it is not such a section. */
function goalsIn(lines: string[]): Suggestions | undefined {
  const greeting: string[] = [];
  const goals: string[] = [];
  let afterBlank = false;
  for (const line of lines) {
    const words = spaced(line);
    const item = ITEM.exec(line);
    if (item) goals.push(spaced(item[1] ?? ""));
    else if (words && goals.length === 0) greeting.push(words);
    else if (words && afterBlank) return undefined;
    else if (words) goals.push(`${goals.pop()} ${words}`.trim());
    afterBlank = words === "";
  }
  const welcome = greeting.join(" ");
  const fits =
    goals.length > 0 && goals.length <= MOST_GOALS && [...welcome].length <= LONGEST_GREETING &&
    goals.every((goal) => goal && [...goal].length <= LONGEST_GOAL) && ![welcome, ...goals].some((one) => MARKUP.test(one));
  return fits ? { greeting: welcome, goals } : undefined;
}

/** The name of a tool in words; empty for other sections, and for tools of few pages or visitors. */
function toolTitle({ title, lines }: Section): string[] {
  const name = NAME.exec(title)?.[1];
  if (!name || !lines.some((line) => line.startsWith("### "))) return [];
  if (lines.some((line) => /^- (paths:|requires login)/.test(line))) return [];
  const own = lines.map((line) => /^- title: (.{1,80})$/.exec(line)?.[1]).find(Boolean);
  return [own && !MARKUP.test(own) ? own : inWords(name)];
}

/** `searchBooks` as `Search books`. */
function inWords(name: string): string {
  const words = spaced(name.replace(/[_$]+/g, " ").replace(/([a-z\d])(?=[A-Z])/g, "$1 ")).toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function spaced(text: string): string {
  return text.trim().replace(/\s+/g, " ");
}
