// A cover, drawn as SVG from the book's data. Covers are decoration: the title next to
// a cover says the same in text, so they are hidden from assistive technology.

import { escape, markup } from "../html.js";
import { MOTIFS } from "./motifs.js";
import { PALETTES } from "./palettes.js";

const WIDTH = 200;
const HEIGHT = 300;

const LAYOUTS = {
  // A solid panel with the title, the drawing below it.
  panel: (book, c, art) =>
    `<rect width="200" height="300" fill="${c.ground}"/>${square(art, 0, 112, 200, 188)}` +
    `<rect width="200" height="112" fill="${c.paper}"/><rect y="112" width="200" height="5" fill="${c.two}"/>` +
    words(book, c.ink, { x: 16, anchor: "start", top: 16, width: 168, height: 64 }) +
    author(book, c.ink, 16, 100, "start"),

  // Pale boards, the drawing tipped in as a plate.
  plate: (book, c, art) =>
    `<rect width="200" height="300" fill="${c.paper}"/>` +
    `<rect x="22" y="112" width="156" height="156" fill="${c.ground}"/>${square(art, 22, 112, 156, 156)}` +
    words(book, c.ink, { x: 100, anchor: "middle", top: 22, width: 164, height: 74 }) +
    author(book, c.ink, 100, 287, "middle"),

  // The drawing over everything and a pasted label.
  label: (book, c, art) =>
    `<rect width="200" height="300" fill="${c.ground}"/>${square(art, 0, 108, 200, 192)}` +
    `<rect x="18" y="20" width="164" height="98" fill="${c.paper}"/>` +
    `<rect x="23" y="25" width="154" height="88" fill="none" stroke="${c.ink}" stroke-width="1"/>` +
    words(book, c.ink, { x: 100, anchor: "middle", top: 32, width: 140, height: 58 }) +
    author(book, c.ink, 100, 105, "middle"),
};

/** The SVG of a book's cover. */
export function cover(book) {
  const colours = PALETTES[book.cover.palette];
  const art = MOTIFS[book.cover.motif](colours, numbers(book.id));
  return markup(`<svg class="cover" viewBox="0 0 ${WIDTH} ${HEIGHT}" aria-hidden="true" focusable="false">` +
    `${LAYOUTS[book.cover.layout](book, colours, art)}` +
    '<path d="M9.5 0v300" stroke="#000" stroke-opacity=".16"/><path d="M11 0v300" stroke="#fff" stroke-opacity=".2"/></svg>');
}

const square = (art, x, y, width, height) =>
  `<svg x="${x}" y="${y}" width="${width}" height="${height}" viewBox="0 0 200 200" preserveAspectRatio="xMidYMid slice">${art}</svg>`;

/** The title, broken into lines and as large as its box allows. */
function words(book, colour, { x, anchor, top, width, height }) {
  let best = { size: 0, lines: [] };
  for (const most of [8, 10, 12, 14, 16, 20]) {
    const lines = wrap(book.title, most);
    const longest = Math.max(...lines.map((each) => each.length));
    // 0.55: the width of an average letter of the serif faces, in ems.
    const size = Math.min(width / (longest * 0.55), height / (lines.length * 1.08), 27);
    if (size > best.size) best = { size, lines };
  }
  const lead = best.size * 1.08;
  const start = top + (height - best.lines.length * lead) / 2 + best.size * 0.82;
  return best.lines
    .map((each, i) => `<text x="${x}" y="${(start + i * lead).toFixed(1)}" text-anchor="${anchor}" font-size="${best.size.toFixed(1)}" fill="${colour}" class="cover-title">${escape(each)}</text>`)
    .join("");
}

const author = (book, colour, x, y, anchor) =>
  `<text x="${x}" y="${y}" text-anchor="${anchor}" font-size="10.5" fill="${colour}" class="cover-author">${escape(book.author)}</text>`;

function wrap(text, most) {
  const lines = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && `${last} ${word}`.length <= most) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** Numbers from 0 to 1 that follow from the text: the same cover every time. */
export function numbers(text) {
  let state = 2166136261;
  for (const character of text) state = Math.imul(state ^ character.codePointAt(0), 16777619);
  return () => {
    state = Math.imul(state ^ (state >>> 15), 2246822519) + 0x9e3779b9;
    return ((state ^ (state >>> 13)) >>> 0) / 4294967296;
  };
}
