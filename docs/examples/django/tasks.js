window.addTask = async (title) => {
  // Each page of a visitor has a form, and so Django's token.
  const token = document.querySelector("[name='csrfmiddlewaretoken']").value;
  const response = await fetch("/tasks", {
    method: "POST",
    headers: { "x-csrftoken": token },
    body: new URLSearchParams({ title }),
    redirect: "manual",
  });
  // Django redirects to the login.
  if (response.type === "opaqueredirect") throw new Error("please log in first");
  if (!response.ok) throw new Error("the task was not added");
  const answer = await response.json();
  document.querySelector("#tasks")?.append(
    Object.assign(document.createElement("li"), { textContent: answer.title }),
  );
  return answer;
};

document.querySelector("#add")?.addEventListener("submit", async (event) => {
  event.preventDefault();
  await window.addTask(event.target.elements.title.value);
  event.target.reset();
});
