/** Hears when a single-page application shows another address. */

/** Call `listener` after each change of the page's path without a load. */
export function onNavigation(listener: () => void): void {
  let path = location.pathname;
  const look = () => {
    if (location.pathname === path) return;
    path = location.pathname;
    listener();
  };
  const { navigation } = window as { navigation?: EventTarget };
  if (navigation) {
    navigation.addEventListener("currententrychange", look);
    return;
  }
  // Before the Navigation API nothing tells of `pushState`, but calling it is all there is.
  addEventListener("popstate", look);
  for (const name of ["pushState", "replaceState"] as const) {
    const original = history[name];
    history[name] = function (this: History, ...args: Parameters<History["pushState"]>) {
      original.apply(this, args);
      look();
    };
  }
}
