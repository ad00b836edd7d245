/* The page around the demo shop has the functions of the shop, each of which is called in the frame. */

const shop = document.querySelector("iframe");
const manifest = await (await fetch(new URL("webagents.md", shop.src))).text();

for (const [, name] of manifest.matchAll(/^## ([a-z]\w*)$/gm)) {
  globalThis[name] = async (...given) => {
    try {
      return structuredClone(await shop.contentWindow[name](...given));
    } catch (error) {
      // An error of the frame is not an `Error` of this page.
      throw new Error(error.message);
    }
  };
}
