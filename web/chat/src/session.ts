// Who the page is to the server. A token is held in memory only: it is gone with the tab.

import { useSyncExternalStore } from "react";

let token: string | undefined;
let count = 0;
const watchers = new Set<() => void>();

export function bearer(): string | undefined {
  return token;
}

/** Uses this token from now on; undefined forgets the one in use. */
export function signIn(given: string | undefined): void {
  token = given;
  count++;
  for (const watcher of [...watchers]) watcher();
}

function watch(watcher: () => void): () => void {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

/** How often somebody has signed in or out: what was asked under another number was asked by somebody else. */
export function useSession(): number {
  return useSyncExternalStore(watch, () => count);
}
