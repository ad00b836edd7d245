async function books(options) {
  const response = await fetch("/books", options);
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.message);
  document.querySelector("#books")?.replaceChildren(
    ...answer.map(({ title }) => Object.assign(document.createElement("li"), { textContent: title })),
  );
  return answer;
}

window.listBooks = () => books();
window.addBook = (title) =>
  books({
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ title }),
  });
if (document.querySelector("#books")) window.listBooks();
document.querySelector("#add")?.addEventListener("submit", async (event) => {
  event.preventDefault();
  await window.addBook(event.target.elements.title.value);
  event.target.reset();
});
