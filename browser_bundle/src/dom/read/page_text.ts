/** Normalizes texts of pages: cut, on one line, and without invisible characters. */

/** Control, zero-width, bidirectional, private-use and tag characters. */
const UNSEEN =
  /[\u0000-\u0008\u000e-\u001f\u007f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ue000-\uf8ff]|\udb40[\udc00-\udc7f]/g;

/** Most characters of a text that are read. */
const MOST = 20_000;

/** A text as one line, without invisible characters. */
export function line(text: string | null | undefined, most = 200): string {
  const seen = (text ?? "").slice(0, MOST).replace(UNSEEN, "").replace(/\s+/g, " ").trim();
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
