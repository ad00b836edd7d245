/** Fetches files of the bundle. */
import { IF_UPDATED } from "../base/lazy_chunks.ts";

/**
 * @param base URL of the bundle, ending in a slash.
 * @throws Error that names the file which is not there.
 */
export async function fetchOk(base: string, path: string, options: RequestInit = {}): Promise<Response> {
  const url = new URL(path, base);
  const response = await fetch(url, options);
  if (!response.ok) throw new Error(`\`${url.pathname}\` answered ${response.status}; ${IF_UPDATED}`);
  return response;
}
