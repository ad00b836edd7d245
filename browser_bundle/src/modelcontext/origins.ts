/** Origins as texts: which one a text names, and whether it may see tools. */

/** The origin that the text names, or null when it is opaque or none. */
export function namedOrigin(text: string): string | null {
  const url = parse(text);
  if (url?.protocol === "file:") return "file://";
  return !url || url.origin === "null" ? null : url.origin;
}

/** The origin that the text names, or null when somebody on the way could imitate it. */
export function trustworthyOrigin(text: string): string | null {
  const { protocol, hostname } = parse(text) ?? { protocol: "", hostname: "" };
  const isLocal =
    /^(127(\.\d+){3}|\[::1\]|(.+\.)?localhost\.?)$/.test(hostname) && /^(http|ws):$/.test(protocol);
  return isLocal || /^(https|wss|file|[a-z]+-extension):$/.test(protocol)
    ? namedOrigin(text)
    : null;
}

function parse(text: string): URL | null {
  try {
    const url = new URL(text);
    return url.protocol === "blob:" ? parse(url.origin) : url;
  } catch {
    return null;
  }
}
