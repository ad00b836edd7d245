/** Origins that may see tools: those whose content nobody on the way can change. */

/** The origin that the text names, or null when it is not potentially trustworthy. */
export function trustworthyOrigin(text: string): string | null {
  let url: URL;
  try {
    url = new URL(text);
    if (url.protocol === "blob:") url = new URL(url.origin);
  } catch {
    return null;
  }
  if (url.protocol === "file:") return "file://";
  return isTrustworthy(url) ? url.origin : null;
}

/** The origin of a tool as `executeTool` names it, or null when it is opaque or no origin. */
export function namedOrigin(text: string): string | null {
  try {
    const url = new URL(text);
    if (url.protocol === "file:") return "file://";
    return url.origin === "null" ? null : url.origin;
  } catch {
    return null;
  }
}

function isTrustworthy({ protocol, hostname }: URL): boolean {
  if (/^(https|wss|[a-z]+-extension):$/.test(protocol)) return true;
  return /^(http|ws):$/.test(protocol) && /^(127(\.\d+){3}|\[::1\]|(.+\.)?localhost\.?)$/.test(hostname);
}
