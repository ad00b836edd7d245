window.addRun = async (km) => {
  const response = await fetch("/runs", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ km }),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(response.status === 422 ? answer.detail[0].msg : answer.detail);
  document.querySelector("#runs")?.append(
    Object.assign(document.createElement("li"), { textContent: `${answer.km} km` }),
  );
  return answer;
};

document.querySelector("#add")?.addEventListener("submit", async (event) => {
  event.preventDefault();
  await window.addRun(event.target.elements.km.valueAsNumber);
  event.target.reset();
});
