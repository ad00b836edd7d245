window.inviteGuest = async (name) => {
  const response = await fetch("/guests", {
    method: "POST",
    headers: { "x-csrftoken": document.querySelector("meta[name='csrf-token']").content },
    body: new URLSearchParams({ name }),
  });
  if (!response.ok) throw new Error("please log in first");
  const answer = await response.json();
  document.querySelector("#guests")?.append(
    Object.assign(document.createElement("li"), { textContent: answer.name }),
  );
  return answer;
};

document.querySelector("#add")?.addEventListener("submit", async (event) => {
  event.preventDefault();
  await window.inviteGuest(event.target.elements.name.value);
  event.target.reset();
});
