/** Finds things by name: an exact match, else without case and punctuation, else by prefix, else as a part. */
import { plain } from "../read/page_text.ts";

/**
 * The things that match best; several if they match equally well.
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
