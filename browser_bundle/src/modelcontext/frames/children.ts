/** Same-origin frames that no script of ours runs in, such as `about:blank` and `srcdoc`. */
import { type Realm, reachable } from "../realm/window_realm.ts";

/** Installs tools in the frames of a document, as they come and as they load. */
export function adoptChildren(realm: Realm, install: (child: Realm) => void): void {
  const adopt = (): void => {
    for (let index = 0; index < realm.length; index += 1) {
      const child = reachable(realm[index] as Window);
      if (child) install(child);
    }
  };
  new realm.MutationObserver(adopt).observe(realm.document, { childList: true, subtree: true });
  realm.document.addEventListener("load", adopt, true);
  adopt();
}
