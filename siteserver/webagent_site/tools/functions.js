/**
 * Defines functions of the page. Each one is a request to the page's own site.
 *
 * Errors have a name, and a sentence for the visitor.
 *
 * @param calls {{ name, method, path, params: [key, place][] }[]}; a place is `path`, `query`,
 *   `body` (a field of it) or `content` (the whole body).
 */
function define(calls) {
  "use strict";
  const base = document.currentScript?.src || location.href;
  const FAILURES = {
    400: ["InvalidArguments", "the site does not accept these values"],
    401: ["NotLoggedIn", "please sign in first, then try again"],
    403: ["Denied", "the site does not allow this; if the page has been open for long, reload it"],
    404: ["NotFound", "the site does not have this any more"],
    409: ["Conflict", "this is not possible any more, because something has changed"],
    413: ["TooLarge", "this is more than the site accepts at once"],
    422: ["InvalidArguments", "the site does not accept these values"],
    429: ["RateLimited", "this was too often; wait a moment, then try again"],
    500: ["ServerFailed", "the site could not do this; try again later"],
    0: ["NoConnection", "the site cannot be reached; check the connection, then try again"],
  };

  function failure(status, sentence) {
    const [name, usual] = FAILURES[status] ?? FAILURES[status < 500 ? 400 : 500];
    return Object.assign(new Error(sentence || usual), { name });
  }

  // Django has the token in a cookie or a form, Flask-WTF and others in a `<meta>` or a form.
  function csrfToken() {
    const field = 'meta[name="csrf-token"], input[name="csrfmiddlewaretoken"], input[name="csrf_token"]';
    const found = document.querySelector(field);
    return found?.content || found?.value || /(?:^|;\s*)csrftoken=([^;]+)/.exec(document.cookie)?.[1];
  }

  function urlOf(path, parts) {
    const filled = path.replace(/\{([^{}]*)\}/g, (_, key) => {
      const text = parts.has(key) ? String(parts.get(key)) : "";
      // A browser would resolve `..`, however it is written, and request another address.
      if (["", ".", ".."].includes(text)) throw failure(400, `\`${key}\` cannot be \`${text}\``);
      return encodeURIComponent(text);
    });
    return new URL(filled, base);
  }

  function requestOf({ method, path, params }, values) {
    if (values.length > params.length) throw failure(400, "there are more values than parameters");
    const parts = new Map();
    const query = [];
    const fields = [];
    let content;
    params.forEach(([key, place], index) => {
      const value = values[index];
      if (value === undefined) return;
      if (place === "path") parts.set(key, value);
      else if (place === "query") query.push(...[value].flat().map((one) => [key, one]));
      else if (place === "body") fields.push([key, value]);
      else content = value;
    });
    const url = urlOf(path, parts);
    for (const [key, value] of query) url.searchParams.append(key, String(value));
    const hasFields = params.some(([, place]) => place === "body");
    const body = hasFields ? Object.fromEntries(fields) : method === "POST" ? (content ?? {}) : content;
    const headers = { accept: "application/json" };
    const token = method === "GET" ? undefined : csrfToken();
    if (token) headers["x-csrftoken"] = token;
    if (body !== undefined) headers["content-type"] = "application/json";
    return [url, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) }];
  }

  function parsed(text) {
    try {
      return JSON.parse(text);
    } catch {
      return undefined;
    }
  }

  async function call(one, values) {
    // Only before the first `await` it is known which call this is.
    const signal = globalThis.webagent?.context?.()?.signal;
    const [url, request] = requestOf(one, values);
    let response, text;
    try {
      // A page to sign in on is not an answer, so that nothing is redirected there.
      const redirect = request.method === "GET" ? "follow" : "manual";
      const options = { credentials: "same-origin", mode: "same-origin", cache: "no-store", redirect };
      response = await fetch(url, { ...request, ...options, signal });
      text = await response.text();
    } catch (error) {
      throw signal?.aborted ? error : failure(0);
    }
    const data = parsed(text);
    if (response.type === "opaqueredirect") throw failure(401);
    if (!response.ok) throw failure(response.status, data?.error?.message);
    if (data === undefined && response.redirected) throw failure(401);
    return data === undefined ? text || null : data;
  }

  for (const one of calls) {
    if (one.name in globalThis) console.error(`webagent: the page has a function ${one.name} already`);
    else globalThis[one.name] = (...values) => call(one, values);
  }
}
