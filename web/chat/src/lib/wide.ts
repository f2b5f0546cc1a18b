// Whether there is room for a column beside another.

import { useCallback, useSyncExternalStore } from "react";

/** For the list of chats beside the conversation, as in styles/threadlist.css. */
const WIDE = "(min-width: 64rem)";

export function useWide(query = WIDE): boolean {
  const watch = useCallback(
    (watcher: () => void) => {
      const list = matchMedia(query);
      list.addEventListener("change", watcher);
      return () => list.removeEventListener("change", watcher);
    },
    [query],
  );
  return useSyncExternalStore(watch, () => matchMedia(query).matches);
}
