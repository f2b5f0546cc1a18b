import { useEffect, useState } from "react";
import { call, type ThreadInfo } from "../server/api";

/** What a chat is called, which the server says: in the list where that is shown, and else when it is asked at each turn. No turn: nothing was said yet. */
export function useTitle(threadId: string, listed: string | undefined, turn: string | undefined): string | undefined {
  const [told, tell] = useState<Pick<ThreadInfo, "threadId" | "title">>();
  const unknown = listed === undefined;
  useEffect(() => {
    if (!unknown || turn === undefined) return;
    let left = false;
    // Without it the place has its own name.
    void call<ThreadInfo>("GET", `/threads/${encodeURIComponent(threadId)}`)
      .then((thread) => {
        if (!left) tell(thread);
      })
      .catch(() => {});
    return () => {
      left = true;
    };
  }, [threadId, turn, unknown]);
  return listed ?? (told?.threadId === threadId ? told.title || undefined : undefined);
}
