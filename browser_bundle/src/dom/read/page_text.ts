/** Normalizes texts of pages, cut, on one line and without invisible characters, and finds things by their names. */

/** Control, zero-width, bidirectional, private-use and tag characters. */
const UNSEEN =
  /[\u0000-\u0008\u000e-\u001f\u007f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ue000-\uf8ff]|\udb40[\udc00-\udc7f]/g;

/** Most characters of a text that are read. */
const MOST = 20_000;

/** A text as one line, without invisible characters. */
export function line(text: string | null | undefined, most = 200): string {
  if (!text) return "";
  const seen = text.slice(0, MOST).replace(UNSEEN, "").replace(/\s+/g, " ").trim();
  return seen.length > most ? `${seen.slice(0, most - 1).trimEnd()}…` : seen;
}

/** A text with its lines, without invisible characters. */
export function lines(text: string, most: number): string {
  return text.slice(0, most).replace(/\r\n?/g, "\n").replace(UNSEEN, "");
}

/** A text for comparison: without case, accents and punctuation. */
export function plain(text: string): string {
  return text
    .slice(0, MOST)
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

/** A text in quotation marks, with none inside. */
export const quoted = (text: string): string => `"${text.replace(/"/g, "'")}"`;

/**
 * The things that match best; several if they match equally well: an exact match, else without case and
 * punctuation, else by prefix, else as a part.
 *
 * @param wordsOf The names of each thing.
 * @param whole Whether the whole name has to match: parts would find out a name that is masked.
 */
export function bestMatches<T>(
  things: readonly T[],
  words: string,
  wordsOf: (thing: T) => readonly (string | null | undefined)[],
  whole = false,
): T[] {
  const wanted = plain(words);
  const tests: ((text: string) => boolean)[] = [(text) => text.trim() === words.trim()];
  if (wanted) {
    tests.push(
      (text) => plain(text) === wanted,
      (text) => plain(text).startsWith(wanted),
      (text) => plain(text).includes(wanted),
    );
  }
  for (const test of tests.slice(0, whole ? 2 : 4)) {
    const found = things.filter((thing) => wordsOf(thing).some((text) => !!text && test(text)));
    if (found.length > 0) return found;
  }
  return [];
}

/** All things, those that share most words with a text first. */
export function rankedByWords<T>(things: readonly T[], words: string, wordOf: (thing: T) => string): T[] {
  const wanted = plain(words).split(" ");
  const score = (thing: T): number => {
    const has = plain(wordOf(thing)).split(" ");
    return wanted.filter((word) => has.some((other) => other.startsWith(word.slice(0, 4)))).length;
  };
  const scored = things.map((thing) => ({ thing, points: score(thing) }));
  return scored.sort((a, b) => b.points - a.points).map(({ thing }) => thing);
}
