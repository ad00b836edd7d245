/** Numbers for the frames of a page, in the order of the tree when they were first seen. */

const numbers = new WeakMap<Window, number>();
let last = 0;

/** The number of a frame; undefined for this window itself. */
export function frameNumber(frame: Window): number | undefined {
  if (frame === window) return undefined;
  if (!numbers.has(frame)) number(window.top ?? window);
  if (!numbers.has(frame)) numbers.set(frame, ++last);
  return numbers.get(frame);
}

/** Whether a window is still in the page. */
export function isPresent(frame: Window): boolean {
  return frame === window || (!frame.closed && frame.top === window.top);
}

function number(root: Window): void {
  if (!numbers.has(root) && root !== window) numbers.set(root, ++last);
  for (let i = 0; i < root.length; i++) number(root[i] as Window);
}
