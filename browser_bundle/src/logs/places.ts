/** Finds in a stack where the page's own code is: `http://…/shop.js:12:3`. */

/** Addresses end before the brackets that browsers put around them. */
const PLACE = /(?:https?|file|blob|webpack(?:-internal)?):[^\s()]+?:\d+:\d+/g;

/** Where `logs.js` was called from; empty if that is unknown, undefined if it was one of our files. */
export function callerOf(stack: string, ours: string): string | undefined {
  const place = placesOf(stack).find((one) => !one.startsWith(`${ours}logs.js`)) ?? "";
  return place.startsWith(ours) ? undefined : place;
}

/** The first place that is not in our files; empty if there is none. */
export function originOf(stack: string, ours: string): string {
  return placesOf(stack).find((one) => !one.startsWith(ours)) ?? "";
}

function placesOf(stack: string): string[] {
  return stack.match(PLACE) ?? [];
}
