// The thread lives in the address, so that a reload and a second tab show the same one.

import { randomUUID } from "@ag-ui/client";
import { useCallback, useEffect, useState } from "react";

const PARAMETER = "thread";

function address(threadId: string): string {
  const url = new URL(location.href);
  url.searchParams.set(PARAMETER, threadId);
  return url.href;
}

/** The thread of the address, made when there is none, and the way to a new one. */
export function useThreadId(): [string, () => void] {
  const [threadId, setThreadId] = useState(() => new URL(location.href).searchParams.get(PARAMETER) || randomUUID());
  useEffect(() => {
    if (new URL(location.href).searchParams.get(PARAMETER) !== threadId) history.replaceState(null, "", address(threadId));
  }, [threadId]);
  useEffect(() => {
    const moved = () => setThreadId((now) => new URL(location.href).searchParams.get(PARAMETER) || now);
    addEventListener("popstate", moved);
    return () => removeEventListener("popstate", moved);
  }, []);
  const begin = useCallback(() => {
    const next = randomUUID();
    history.pushState(null, "", address(next));
    setThreadId(next);
  }, []);
  return [threadId, begin];
}
