/** Texts of pages: cut, on one line, and without what nobody can see. */

/** Control characters, zero width, changes of direction, private use, and tags that no font shows. */
const UNSEEN =
  /[\u0000-\u0008\u000e-\u001f\u007f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ue000-\uf8ff]|\udb40[\udc00-\udc7f]/g;

/** Most characters of a text that are looked at at all. */
const MOST = 20_000;

/** One line without what nobody can see. */
export function line(text: string | null | undefined, most = 200): string {
  const seen = (text ?? "").slice(0, MOST).replace(UNSEEN, "").replace(/\s+/g, " ").trim();
  return seen.length > most ? `${seen.slice(0, most - 1).trimEnd()}…` : seen;
}

/** Several lines without what nobody can see. */
export function lines(text: string, most: number): string {
  return text.slice(0, most).replace(/\r\n?/g, "\n").replace(UNSEEN, "");
}

/** How texts compare: without case, accents and signs. */
export function plain(text: string): string {
  return text
    .slice(0, MOST)
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

/** In quotation marks, with none inside. */
export const quoted = (text: string): string => `"${text.replace(/"/g, "'")}"`;
