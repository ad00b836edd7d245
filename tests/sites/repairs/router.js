const view = document.getElementById("view");
let routes = [];
let shown = new AbortController();

/** Goes to a page of the application, and waits until it is shown. */
export function navigate(path) {
  if (path !== location.pathname) history.pushState(null, "", path);
  return show();
}

export function start(table) {
  routes = table;
  addEventListener("popstate", show);
  addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href]");
    if (!link || link.origin !== location.origin || event.defaultPrevented || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    void navigate(link.pathname);
  });
  return show();
}

async function show() {
  shown.abort();
  shown = new AbortController();
  const { signal } = shown;
  for (const [pattern, page] of routes) {
    const found = pattern.exec(location.pathname);
    if (found) return page(view, signal, ...found.slice(1));
  }
  document.title = "Not found – Tallow Street Repairs";
  view.innerHTML = "<h1>Not found</h1>";
}

/** Offers functions for as long as a page is shown. */
export function offer(functions, signal) {
  if (signal.aborted) return;
  Object.assign(globalThis, functions);
  signal.addEventListener("abort", () => {
    for (const name of Object.keys(functions)) delete globalThis[name];
  });
}
