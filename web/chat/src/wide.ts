// Whether there is room for a column beside the conversation.

import { useSyncExternalStore } from "react";

/** As in styles/threadlist.css. */
const WIDE = "(min-width: 64rem)";

function watch(watcher: () => void): () => void {
  const query = matchMedia(WIDE);
  query.addEventListener("change", watcher);
  return () => query.removeEventListener("change", watcher);
}

export function useWide(): boolean {
  return useSyncExternalStore(watch, () => matchMedia(WIDE).matches);
}
