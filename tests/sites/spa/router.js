const view = document.getElementById("view");
let routes = [];
let leave = new AbortController();

export function navigate(path) {
  history.pushState(null, "", path);
  return show();
}

export function start(table) {
  routes = table;
  addEventListener("popstate", show);
  addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href]");
    if (!link || link.origin !== location.origin || event.defaultPrevented) return;
    event.preventDefault();
    void navigate(link.pathname);
  });
  return show();
}

async function show() {
  leave.abort();
  leave = new AbortController();
  for (const [pattern, page] of routes) {
    const found = pattern.exec(location.pathname);
    if (!found) continue;
    view.textContent = "Loading …";
    await page(view, found.slice(1), leave.signal);
    return { path: location.pathname, title: document.title };
  }
  document.title = "Not found – Spoke & Wheel";
  view.innerHTML = "<h1>Not found</h1>";
  return { path: location.pathname, title: document.title };
}
