/** Events of the page as a whole: navigation without a load, idle time, and turns on its thread. */

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
  // Browsers without the Navigation API fire no event for `pushState`, so its calls are watched.
  addEventListener("popstate", look);
  for (const name of ["pushState", "replaceState"] as const) {
    const original = history[name];
    history[name] = function (this: History, ...args: Parameters<History["pushState"]>) {
      original.apply(this, args);
      look();
    };
  }
}

/** The part of the event `navigate` that says where the page goes. */
interface NavigateEvent extends Event {
  destination: { sameDocument: boolean };
  downloadRequest?: string | null;
}

/**
 * Watch for the page's departure for another document.
 *
 * Returns a function that says whether it has begun; browsers without the Navigation API never do.
 */
export function watchDeparture(): () => boolean {
  let departs = false;
  const { navigation } = globalThis as { navigation?: EventTarget };
  navigation?.addEventListener("navigate", (event) => {
    const { destination, downloadRequest } = event as NavigateEvent;
    departs ||= !destination.sameDocument && downloadRequest == null;
  });
  return () => departs;
}

/** Run a task as soon as the browser is idle, after a second at the latest. */
export function whenIdle(task: () => void): void {
  if ("requestIdleCallback" in window) requestIdleCallback(task, { timeout: 1000 });
  else setTimeout(task, 1);
}

/** The device and its connection, as Chromium browsers report them. */
interface DeviceInfo {
  connection?: { saveData?: boolean; effectiveType?: string };
  /** In GB; browsers report 8 for anything above. */
  deviceMemory?: number;
}

/** Whether to fetch nothing ahead of need: on a metered or slow connection, or a small device. */
export function isDataSaving(device: DeviceInfo = navigator as DeviceInfo): boolean {
  const { saveData, effectiveType = "4g" } = device.connection ?? {};
  return saveData === true || effectiveType !== "4g" || (device.deviceMemory ?? 8) < 2;
}

/** Pieces of long work that wait for a task of their own. */
const waiting: (() => void)[] = [];
let channel: MessageChannel | undefined;

/** Resolves in a task of its own, after all who wait already. */
export function turn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (!channel) next((channel = new MessageChannel()));
  });
}

function next({ port1, port2 }: MessageChannel): void {
  port1.onmessage = () => {
    waiting.shift()?.();
    if (waiting.length) {
      port2.postMessage(null);
      return;
    }
    channel = undefined;
    port1.close();
  };
  port2.postMessage(null);
}
