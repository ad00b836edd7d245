window.addTask = async (title) => {
  const body = new FormData(document.querySelector("#add") ?? undefined);
  body.set("title", title);
  const response = await fetch("/tasks", { method: "POST", body, redirect: "error" });
  if (!response.ok) throw new Error("the task was not added");
  const answer = await response.json();
  document.querySelector("#tasks").append(
    Object.assign(document.createElement("li"), { textContent: answer.title }),
  );
  return answer;
};
