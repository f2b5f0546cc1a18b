// What subagents are called is said once, when they start. Kept for the tab's reloads; a name is no secret.

const KEY = "aguiws:subagents:";

/** More names of one thread than this are forgotten, oldest first. */
const KEPT = 100;

export function namesOf(threadId: string): ReadonlyMap<string, string> {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEY + threadId) ?? "[]") as unknown;
    if (!Array.isArray(kept)) return new Map();
    return new Map(kept.filter((pair) => Array.isArray(pair) && typeof pair[0] === "string" && typeof pair[1] === "string"));
  } catch {
    return new Map();
  }
}

/** The names with one more. */
export function rememberName(threadId: string, names: ReadonlyMap<string, string>, id: string, name: string): ReadonlyMap<string, string> {
  const more = new Map([...names, [id, name] as const].slice(-KEPT));
  try {
    sessionStorage.setItem(KEY + threadId, JSON.stringify([...more]));
  } catch {
    // Full or forbidden: the names last until the reload.
  }
  return more;
}
