/** How long a part is waited for before the page does without it, in milliseconds after each attempt. */
const PAUSES_MS = [250, 500, 1000, 2000, 4000, 8000, 15_000, 15_000, 15_000];

/**
 * Loads a part of the page that is fetched when it is needed, which may be while the server is away: the page holds a
 * conversation, and a reload is the last thing to ask for. Rejects as the last attempt did, after about a minute.
 */
export async function part<T>(load: () => Promise<T>): Promise<T> {
  for (const pause of PAUSES_MS) {
    try {
      return await load();
    } catch {
      await new Promise((later) => setTimeout(later, pause));
    }
  }
  return load();
}
