/* The functions of `webagents.md`. They look into the index of the site's own search. */

const { base } = JSON.parse(document.getElementById("__config").textContent);
const start = new URL(`${base}/`, location.href);

/** Words that say nothing about what is looked for. */
const FILLERS = new Set("a about an and are by can do does for from how i in is it me my of on or the to what when where which with".split(" "));
const IN_TITLE = 6;
const IN_PATH = 3;
/** What a section counts that is looked up, or written for contributors. */
const WORTH = { Reference: 0.8, Design: 0.5 };

let index;

/** Return the sections of all pages, each with its text and what leads to it. */
function sections() {
  index ??= load().catch((error) => {
    index = undefined;
    throw error;
  });
  return index;
}

async function load() {
  const response = await fetch(new URL("search.json", start));
  if (!response.ok) throw new Error(`the index of the search did not load: HTTP ${response.status}`);
  const { items } = await response.json();
  return items.map(({ location: place, title, text, path }) => ({
    url: new URL(place, start).href,
    title: plain(title),
    path: path.map(plain),
    text: plain(text),
  }));
}

function plain(markup) {
  const { body } = new DOMParser().parseFromString(markup, "text/html");
  return body.textContent.replaceAll(/\s+/g, " ").trim();
}

/** Return the words that are looked for, with their beginnings: `publishing` finds `publish` too. */
function stems(query) {
  const words = query.toLowerCase().match(/[\p{L}\p{N}_-]+/gu) ?? [];
  const told = words.filter((word) => !FILLERS.has(word));
  return (told.length ? told : words).map((word) => ({ word, stem: word.replace(/(?<=.{4})(?:ing|ed|es|s)$/, "") }));
}

/** Return how often a text has a word with such a beginning. */
function occurrences(text, stem) {
  return ` ${text.toLowerCase()}`.split(new RegExp(`[^\\p{L}\\p{N}]${stem}`, "u")).length - 1;
}

globalThis.searchDocs = async (query, limit = 5) => {
  const all = await sections();
  const found = all.map((section) => ({ section, said: 0, score: 0 }));
  for (const { word, stem } of stems(query)) {
    const scores = all.map(({ title, path, text }) => {
      const times = occurrences(text, stem);
      return (
        // A title with fewer words, or with the very word, says more exactly what its section is about.
        (IN_TITLE * (Math.sign(occurrences(title, stem)) + Math.sign(occurrences(title, `${word}(?![\\p{L}\\p{N}])`)))) / 2 / Math.sqrt(title.split(/[\s-]+/u).length) +
        IN_PATH * Math.sign(occurrences(path.join(" "), stem)) +
        (2 * times) / (times + 2)
      );
    });
    // A word that few sections have says more.
    const weight = Math.log(1 + all.length / (1 + scores.filter(Boolean).length));
    scores.forEach((score, n) => {
      found[n].score += weight * score;
      found[n].said += weight * Math.sign(score);
    });
  }
  const rank = ({ section, said, score }) => score * said * (WORTH[section.path[0]] ?? 1);
  return found
    .filter(({ score }) => score > 0)
    .sort((a, b) => rank(b) - rank(a))
    .slice(0, limit)
    .map(({ section: { url, title, path, text } }) => ({ title, page: path.at(-1) ?? title, url, text }));
};

globalThis.listPages = async (section) => {
  const pages = (await sections()).filter(({ url, path }) => !url.includes("#") && path.length > 1);
  const named = section?.trim().toLowerCase();
  const listed = pages.filter(({ path }) => !named || path[0].toLowerCase() === named);
  if (!listed.length) {
    const names = [...new Set(pages.map(({ path }) => path[0]))].join(", ");
    throw new Error(`no section is called “${section}”; there are ${names}`);
  }
  return listed.map(({ url, path }) => ({ title: path.at(-1), section: path[0], url }));
};

globalThis.openPage = async (url) => {
  const wanted = new URL(url, start).href;
  const all = await sections();
  if (!all.some((section) => section.url === wanted)) {
    throw new Error(`there is no page at “${url}”; take URLs from searchDocs or listPages`);
  }
  location.assign(wanted);
  return { url: wanted };
};
