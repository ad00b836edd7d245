/** A text in parts, so that it can be shown as what it is: plain text, and what a reader would not see. */
import { lookalikes, type Lookalike } from "./confusables.ts";

export type Part =
  | string
  /** Characters that are invisible, or that change how others are read. */
  | { kind: "hidden"; text: string }
  /** So many blank lines, spaces or accents were left out, after the first ones. */
  | { kind: "blank_lines" | "spaces" | "accents"; count: number }
  /** A letter that passes for a Latin one, in a word of Latin letters. */
  | { kind: "lookalike"; letter: Lookalike };

/**
 * Invisible characters: joiners and variations, which may be part of an emoji or of a script, and those
 * that are not. U+2800 and U+1D159 are blank without being a space, and those for private use may be.
 */
const HIDDEN_CHARACTER =
  /[\u200c\u200d\ufe00-\ufe0f\u{e0100}-\u{e01ef}]+|(?![\t\n\r])[\p{Cc}\p{Co}\p{Cs}\p{DI}\u2028\u2029\u2800\ufff9-\ufffb\u{1d159}]/gu;
const BLANK = /[\s\p{Cc}\p{Cs}\p{DI}\u2800\ufff9-\ufffb\u{1d159}]{4,}/gu;
const LINE_END = /\r\n|[\n\r\u000b\u000c\u0085\u2028\u2029]/g;
const ACCENTS = /\p{M}{5,}/gu;

/** Blank lines and spaces in a row that are shown. */
const MOST_LINES = 3;
const MOST_SPACES = 40;
/** Accents on one letter; more of them are drawn over the lines above and below. */
const MOST_ACCENTS = 4;

interface Cut {
  at: number;
  end: number;
  parts: Part[];
}

/** The parts of a text, in order; all plain parts and all marks together are the whole text. */
export function partsOf(text: string): Part[] {
  const cuts = [...blankRuns(text), ...accentRuns(text), ...hiddenCharacters(text)];
  for (const letter of lookalikes(text)) {
    cuts.push({ at: letter.at, end: letter.at + letter.letter.length, parts: [{ kind: "lookalike", letter }] });
  }
  // A run begins where its first character does, and comes first as it is longer.
  cuts.sort((a, b) => a.at - b.at || b.end - a.end);
  const parts: Part[] = [];
  let end = 0;
  for (const cut of cuts) {
    if (cut.at < end) continue;
    if (cut.at > end) parts.push(text.slice(end, cut.at));
    parts.push(...cut.parts);
    end = cut.end;
  }
  if (end < text.length) parts.push(text.slice(end));
  return parts;
}

function* blankRuns(text: string): Generator<Cut> {
  for (const { 0: run, index: at } of text.matchAll(BLANK)) {
    const end = at + run.length;
    const ends = run.match(LINE_END)?.length ?? 0;
    const lines = at === 0 || end === text.length ? ends : ends - 1;
    if (lines > MOST_LINES) {
      yield { at, end, parts: ["\n\n", { kind: "blank_lines", count: lines - 1 }, "\n"] };
    } else if (run.length > MOST_SPACES) {
      yield { at, end, parts: [" ", { kind: "spaces", count: run.length - 1 }, " "] };
    }
  }
}

function* accentRuns(text: string): Generator<Cut> {
  for (const { 0: run, index: at } of text.matchAll(ACCENTS)) {
    const shown = [...run].slice(0, MOST_ACCENTS).join("");
    const count = [...run].length - MOST_ACCENTS;
    yield { at: at + shown.length, end: at + run.length, parts: [{ kind: "accents", count }] };
  }
}

function* hiddenCharacters(text: string): Generator<Cut> {
  for (const { 0: found, index: at } of text.matchAll(HIDDEN_CHARACTER)) {
    if (belongs(found, text, at)) continue;
    yield { at, end: at + found.length, parts: [...found].map((character) => ({ kind: "hidden", text: character })) };
  }
}

/** The end of a text, or its beginning, in a script whose letters have neither joiners nor variations. */
const PLAIN = /(?!\p{Extended_Pictographic})[\p{L}\p{N}](?<=[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Armenian}\p{sc=Hebrew}\p{sc=Georgian}\p{sc=Common}])\p{M}*$/u;
const PLAIN_START = /^(?!\p{Extended_Pictographic})(?=[\p{L}\p{N}])[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Armenian}\p{sc=Hebrew}\p{sc=Georgian}\p{sc=Common}]/u;

/** Whether a joiner or a variation is part of an emoji, or of a word in a script that has them. */
function belongs(found: string, text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 2), at);
  const after = text.charAt(at + found.length);
  if (/^\ufe0f$/.test(found) && after === "\u20e3") return /[\d#*]$/.test(before);
  if (PLAIN.test(before) || (found.endsWith("\u200d") && PLAIN_START.test(after))) return false;
  if (/^[\ufe00-\ufe0f]\u200d?$/.test(found)) return /[^\x00-\x7f]$/.test(before);
  return /^[\u200c\u200d]$/.test(found) && /[^\x00-\x7f\s]$/.test(before) && /^[^\x00-\x7f\s]/.test(after);
}

/** A text with every hidden character named. */
export function visible(text: string): string {
  return text.replace(HIDDEN_CHARACTER, (found: string, at: number) => (belongs(found, text, at) ? found : [...found].map(named).join("")));
}

/** The visible name of a hidden character: `⟨202E⟩`. */
export function named(character: string): string {
  return `⟨${codeOf(character)}⟩`;
}

/** The number of a character, as Unicode writes it after `U+`. */
export function codeOf(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
}
