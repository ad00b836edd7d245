/** The numbers of elements on a picture. `marks.js`: a driver loads it into a blank page to draw them. */
import {
  dataOf, documentIn, documentOf, frameOf, isElement, isInside, rectOf, rectsOf, renderedChildren, renderedParent, styleOf,
  tagOf, topOf, typeOf, viewOf,
} from "../read/nodes.ts";
import type { Marked, Picture } from "../read/protocol.ts";

/** A part of a picture, in CSS pixels from its top left corner. */
interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

interface MarkedBox {
  /** Number of the element. */
  id: number;
  /** The part of the picture that shows it. */
  box: Box;
}

interface Mark extends MarkedBox {
  /** The place of the number. */
  label: Box;
}

export interface Marks {
  marks: Mark[];
  /** Number of elements in the picture that are left without a mark. */
  unmarked: number;
  /** Size of the labels, 1 or more. */
  size: number;
}

/** Largest picture: its sides in CSS pixels. */
const MOST_WIDTH = 4096;
const MOST_HEIGHT = 10_000;
/** Most marks of a picture. */
const MOST_MARKS = 100;
/** The side of the smallest box that is marked. */
const LEAST = 4;
/** Most texts that labels are kept away from. */
const MOST_TEXTS = 2000;
/** A picture with a longer side is made smaller for most models, and its labels with it. */
const LONG_SIDE = 1500;
const LARGEST = 2;

interface Size {
  width: number;
  height: number;
}

/** The root of a document, whose picture is that of the whole page. */
export const isRoot = (target: Element): boolean => target === target.ownerDocument.documentElement;

/** The size of an element's picture in CSS pixels; that of the whole page includes the parts to scroll to. */
export function sizeOf(target: Element): Size {
  const rect = rectOf(target);
  const { clientWidth, scrollWidth, clientHeight, scrollHeight } = target;
  return {
    width: Math.ceil(Math.min(MOST_WIDTH, isRoot(target) ? Math.max(clientWidth, scrollWidth) : rect.width)),
    height: Math.ceil(Math.min(MOST_HEIGHT, isRoot(target) ? Math.max(clientHeight, scrollHeight) : rect.height)),
  };
}

/**
 * The marks in the picture of an element, as the page is laid out now.
 *
 * @param picture Size of the picture in CSS pixels.
 */
export function marksOf(target: Element, marked: readonly Marked[], picture: Size): Marks {
  const view = viewOf(target);
  const corner = isRoot(target) && view ? { left: -view.scrollX, top: -view.scrollY } : onTop(target, rectOf(target));
  const boxOf = (edges: Edges): Box => {
    const left = Math.round(Math.max(0, edges.left - corner.left));
    const top = Math.round(Math.max(0, edges.top - corner.top));
    const width = Math.round(Math.min(picture.width, edges.right - corner.left)) - left;
    return { left, top, width, height: Math.round(Math.min(picture.height, edges.bottom - corner.top)) - top };
  };
  const shown = marked
    .filter(({ box }) => isInside(box, target))
    .map(({ id, box }) => ({ id, box: boxOf(visiblePart(box)) }))
    .filter(({ box }) => box.width >= LEAST && box.height >= LEAST);
  const size = Math.min(LARGEST, Math.max(1, picture.width / LONG_SIDE, picture.height / LONG_SIDE));
  const marks = labelled(shown.slice(0, MOST_MARKS), textsIn(target).map(boxOf), picture, size);
  return { marks, unmarked: shown.length - marks.length, size };
}

/** The lines of text in an element. */
function textsIn(target: Element): Edges[] {
  const texts: Edges[] = [];
  const nodes: Node[] = [target];
  for (let node = nodes.pop(); node && texts.length < MOST_TEXTS; node = nodes.pop()) {
    const inner = isElement(node) ? documentIn(node) : null;
    const children = inner ? [topOf(inner)] : renderedChildren(node).reverse();
    for (const child of children) {
      if (isElement(child)) nodes.push(child);
      else if (child && typeOf(child) === 3 && dataOf(child).trim()) texts.push(...linesOf(child));
    }
  }
  return texts;
}

function linesOf(text: Node): Edges[] {
  const range = documentOf(text)?.createRange();
  const parent = renderedParent(text);
  if (!range || !parent) return [];
  range.selectNodeContents(text);
  return [...range.getClientRects()].slice(0, MOST_TEXTS).map((rect) => onTop(parent, rect));
}

interface Edges {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

const NOT_CUT: Edges = { left: -Infinity, top: -Infinity, right: Infinity, bottom: Infinity };

const overlap = (a: Edges, b: Edges): Edges => ({
  left: Math.max(a.left, b.left),
  top: Math.max(a.top, b.top),
  right: Math.min(a.right, b.right),
  bottom: Math.min(a.bottom, b.bottom),
});

const moved = ({ left, top, right, bottom }: Edges, x: number, y: number): Edges => ({
  left: left + x,
  top: top + y,
  right: right + x,
  bottom: bottom + y,
});

/** The frame that shows this page, in a document of the same origin; nothing outside of it is in a picture. */
const ownFrame = (): Element | null => frameOf(document.documentElement);

/** The part of an element's first box that nothing around it cuts off, in the window of the page. */
function visiblePart(element: Element): Edges {
  let seen: Edges = [...rectsOf(element)].find(({ width, height }) => width > 0 && height > 0) ?? rectOf(element);
  let position = styleOf(element)?.position;
  for (let at = renderedParent(element); at && at !== ownFrame(); at = renderedParent(at)) {
    const style = styleOf(at);
    if (documentIn(at)) {
      seen = overlap(inFrame(at, seen), inFrame(at, { left: 0, top: 0, right: at.clientWidth, bottom: at.clientHeight }));
      position = style?.position;
      continue;
    }
    // Boxes outside of which it is laid out do not cut it off.
    if (!style || position === "fixed" || (position === "absolute" && style.position === "static")) continue;
    position = style.position;
    if (/^(html|body)$/.test(tagOf(at)) || /^(inline|contents)$/.test(style.display)) continue;
    const { left, top, right, bottom } = rectOf(at);
    const [cutsX, cutsY] = [style.overflowX !== "visible", style.overflowY !== "visible"];
    seen = overlap(seen, {
      left: cutsX ? left : NOT_CUT.left,
      right: cutsX ? right : NOT_CUT.right,
      top: cutsY ? top : NOT_CUT.top,
      bottom: cutsY ? bottom : NOT_CUT.bottom,
    });
  }
  return seen;
}

/** Edges in a frame, as the document around it has them. */
function inFrame(frame: Element, edges: Edges): Edges {
  const { left, top } = rectOf(frame);
  return moved(edges, left + frame.clientLeft, top + frame.clientTop);
}

/** Edges in the document of an element, as the window of the page has them. */
function onTop(element: Element, edges: Edges): Edges {
  let seen = edges;
  for (let frame = frameOf(element); frame && frame !== ownFrame(); frame = frameOf(frame)) seen = inFrame(frame, seen);
  return seen;
}

// Labels.

/** A label of size 1, in CSS pixels. */
const LABEL = 15;
const DIGIT = 7;
const PADDING = 3;

/**
 * Boxes with their labels, each beside its box or in it, where it hides other labels, boxes and texts least.
 *
 * @param texts Boxes of the texts in the picture.
 * @param size Size of the labels.
 */
function labelled(marked: readonly MarkedBox[], texts: readonly Box[], picture: Size, size: number): Mark[] {
  const boxes = marked.map(({ box }) => box);
  const labels: Box[] = [];
  const height = Math.round(LABEL * size);
  return marked.map(({ id, box }) => {
    const width = Math.round((String(id).length * DIGIT + 2 * PADDING) * size);
    const found = places(box, width, height).map(([left, top], index) => {
      const label = {
        left: Math.max(0, Math.min(left, picture.width - width)),
        top: Math.max(0, Math.min(top, picture.height - height)),
        width,
        height,
      };
      return { label, cost: 100 * shared(label, labels) + 2 * shared(label, boxes) + shared(label, texts) + index };
    });
    const { label } = found.reduce((best, next) => (next.cost < best.cost ? next : best));
    labels.push(label);
    return { id, box, label };
  });
}

/** Where a label may be, the best first: above, beside and below its box, then in it. */
function places({ left, top, width, height }: Box, w: number, h: number): [number, number][] {
  const [right, bottom, middle] = [left + width, top + height, Math.round(top + (height - h) / 2)];
  return [
    [left, top - h],
    [left - w, middle],
    [right, middle],
    [right - w, top - h],
    [left, bottom],
    [right - w, bottom],
    [left - w, top - h],
    [right, top - h],
    [right - w, top],
    [left, top],
    [right - w, bottom - h],
    [left, bottom - h],
  ];
}

/** The area that a box shares with others. */
function shared(a: Box, others: readonly Box[]): number {
  let area = 0;
  for (const b of others) {
    const width = Math.min(a.left + a.width, b.left + b.width) - Math.max(a.left, b.left);
    const height = Math.min(a.top + a.height, b.top + b.height) - Math.max(a.top, b.top);
    if (width > 0 && height > 0) area += width * height;
  }
  return area;
}

// Drawing.

const FONT = 12;
const FILL = "#ffe14d";
const INK = "#000";

/**
 * Draws marks on a picture.
 *
 * @param scale Pixels of the picture to a CSS pixel.
 */
export function drawMarks(canvas: HTMLCanvasElement, { marks, size }: Marks, scale: number): void {
  const pen = canvas.getContext("2d");
  if (!pen) return;
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.font = `bold ${FONT * size}px Arial, Helvetica, sans-serif`;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  // One of the two colours is seen on any background.
  for (const { box } of marks) {
    for (const [colour, space] of [[INK, 1.5], [FILL, 0.5]] as const) {
      pen.strokeStyle = colour;
      pen.strokeRect(box.left - space, box.top - space, box.width + 2 * space, box.height + 2 * space);
    }
  }
  for (const { id, label } of marks) {
    pen.fillStyle = INK;
    pen.fillRect(label.left, label.top, label.width, label.height);
    pen.fillStyle = FILL;
    pen.fillRect(label.left + 1, label.top + 1, label.width - 2, label.height - 2);
    pen.fillStyle = INK;
    pen.fillText(String(id), label.left + label.width / 2, label.top + label.height / 2 + 0.5);
  }
}

/** The marks of a picture that a driver has taken. */
export interface DriverMarks extends Marks {
  /** Pixels of the picture to a CSS pixel. */
  scale: number;
}

/**
 * Draws marks on a picture that a driver has taken.
 *
 * @param data The picture, a PNG in base64.
 * @param text `DriverMarks` as JSON, from a page that may have written anything into it.
 */
export async function addMarks(data: string, text: string): Promise<Picture> {
  const given = JSON.parse(text) as DriverMarks;
  const marks = given.marks.slice(0, MOST_MARKS).map((mark) => ({ ...mark, id: Math.trunc(mark.id) }));
  const bytes = Uint8Array.from(atob(data), (char) => char.charCodeAt(0));
  // The policy of the blank page allows no image that has an address.
  const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
  const canvas = document.createElement("canvas");
  canvas.width = image.width;
  canvas.height = image.height;
  canvas.getContext("2d")?.drawImage(image, 0, 0);
  drawMarks(canvas, { ...given, marks }, given.scale);
  return {
    data: canvas.toDataURL("image/png").split(",")[1] ?? "",
    width: canvas.width,
    height: canvas.height,
    marks: marks.length,
    unmarked: Math.trunc(given.unmarked),
  };
}
