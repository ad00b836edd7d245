/** `screenshot.js`: takes a screenshot from inside the page: its boxes and styles as SVG, drawn on a canvas. */
import { WebagentError } from "../../base/errors.ts";
import { styleOf, viewOf } from "../read/nodes.ts";
import { denied, type Marked, type Picture } from "../read/protocol.ts";
import { fontsOf, Resources } from "./data_urls.ts";
import { drawMarks, isRoot, marksOf, sizeOf, type Marks } from "./marks.ts";
import { Markup } from "./svg_markup.ts";

/** Most pixels of a screenshot. */
const MOST_PIXELS = 16_000_000;

/**
 * A screenshot of an element as it is laid out now; that of the whole page includes the parts to scroll to.
 *
 * @param marked The elements to mark in it, if any is to be.
 */
export async function capture(target: Element, marked?: readonly Marked[]): Promise<Picture> {
  const view = viewOf(target);
  if (!view) throw denied("an element outside of the page has no screenshot");
  const { width, height } = sizeOf(target);
  if (width < 1 || height < 1) throw denied("the element has no size, so there is nothing to show in a screenshot");
  const resources = new Resources(view);
  const fonts = await fontsOf(view, resources);
  const marks = marked && marksOf(target, marked, { width, height });
  const markup = new Markup(view, resources, isRoot(target));
  const inside = await markup.of(target);
  const box = `width:${width}px;height:${height}px;overflow:hidden;color:#000;color-scheme:${schemeOf(view, target)};background:${backgroundOf(target)}`;
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">` +
    `<style>${fonts}</style><foreignObject width="100%" height="100%">` +
    `<div xmlns="http://www.w3.org/1999/xhtml" style="${box}">${inside}</div></foreignObject></svg>`;
  return draw(view, svg, width, height, marks);
}

/** The colour that shows through an element. */
function backgroundOf(target: Element): string {
  for (let at: Element | null = target; at; at = at.parentElement) {
    const colour = styleOf(at)?.backgroundColor ?? "";
    if (colour && !/^rgba\(0, 0, 0, 0\)$|^transparent$/.test(colour)) return colour;
  }
  return "Canvas";
}

/** Whether the browser's own colours around an element are light or dark. */
function schemeOf(view: Window, target: Element): string {
  const schemes = styleOf(target)?.colorScheme.split(" ") ?? [];
  const isDark = schemes.includes("dark") && (!schemes.includes("light") || view.matchMedia("(prefers-color-scheme: dark)").matches);
  return isDark ? "dark" : "light";
}

async function draw(
  view: Window & typeof globalThis,
  svg: string,
  width: number,
  height: number,
  marks?: Marks,
): Promise<Picture> {
  const scale = Math.min(view.devicePixelRatio || 1, Math.sqrt(MOST_PIXELS / (width * height)));
  const image = await load(view, `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`);
  const canvas = view.document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(width * scale));
  canvas.height = Math.max(1, Math.round(height * scale));
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  if (marks) drawMarks(canvas, marks, scale);
  try {
    const data = canvas.toDataURL("image/png").split(",")[1] ?? "";
    const counts = marks && { marks: marks.marks.length, unmarked: marks.unmarked };
    return { data, width: canvas.width, height: canvas.height, ...counts };
  } catch {
    throw new WebagentError({
      kind: "internal",
      message: "the browser does not let the page read the drawn picture",
    });
  }
}

/** Loads an image; if the page's policy forbids this, the error says what to add to the policy. */
async function load(view: Window & typeof globalThis, source: string): Promise<HTMLImageElement> {
  const violations: SecurityPolicyViolationEvent[] = [];
  const onError = (event: SecurityPolicyViolationEvent): void => void violations.push(event);
  view.document.addEventListener("securitypolicyviolation", onError);
  try {
    const image = new view.Image();
    image.src = source;
    await image.decode().catch(async () => {
      // The browser reports a violation after the image has failed.
      await new Promise((resolve) => setTimeout(resolve));
      if (violations.some(({ effectiveDirective }) => effectiveDirective === "img-src")) {
        throw denied(
          "the page's content security policy forbids pictures from `data:`, which a screenshot is drawn with",
          "add `data:` to its `img-src`",
        );
      }
      throw new WebagentError({ kind: "internal", message: "the browser cannot draw the page as a picture" });
    });
    return image;
  } finally {
    view.document.removeEventListener("securitypolicyviolation", onError);
  }
}
