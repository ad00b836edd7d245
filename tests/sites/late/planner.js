/** Fills the part of the page in which trips are planned. */
export function showPlanner(place) {
  place.hidden = false;
  place.innerHTML = "<h2>Your trip</h2><ol></ol>";
  const list = place.querySelector("ol");
  const stops = [];

  globalThis.addStop = async (port, hours = 2) => {
    stops.push({ port, hours });
    list.innerHTML = stops.map((stop) => `<li>${stop.port}, ${stop.hours} h</li>`).join("");
    return { stops };
  };
  void document.modelContext.registerTool({
    name: "clear_trip",
    title: "Clear the trip",
    description: "Takes all stops out of the trip.",
    inputSchema: { type: "object", properties: {} },
    annotations: { destructiveHint: true },
    execute: async () => {
      stops.length = 0;
      list.replaceChildren();
      return { stops };
    },
  });
}
