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

// When the browser has nothing better to do, and where it should not be asked for more.

/** Do something as soon as the browser is idle, in a second at the latest. */
export function whenIdle(task: () => void): void {
  if ("requestIdleCallback" in window) requestIdleCallback(task, { timeout: 1000 });
  else setTimeout(task, 1);
}

/** What browsers of one family tell of the device and its connection. */
interface DeviceInfo {
  connection?: { saveData?: boolean; effectiveType?: string };
  /** In GB; browsers say 8 for all that is more. */
  deviceMemory?: number;
}

/** Whether what nobody asked for should not be fetched here: a paid or slow line, a small device. */
export function isDataSaving(device: DeviceInfo = navigator as DeviceInfo): boolean {
  const { saveData, effectiveType = "4g" } = device.connection ?? {};
  return saveData === true || effectiveType !== "4g" || (device.deviceMemory ?? 8) < 2;
}
