const NOTICES = [{ port: "Stack", text: "The quay is closed on Mondays.", since: "2026-03-02" }];

/** What passengers should know, of one port or of all. */
export async function getNotices(port = "") {
  return NOTICES.filter((notice) => !port || notice.port === port);
}
