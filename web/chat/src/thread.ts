// The thread lives in the address, so that a reload and a second tab show the same one.

import { randomUUID } from "@ag-ui/client";
import { useCallback, useEffect, useState } from "react";
import { go, MOVED, threadHref } from "./route";

const PARAMETER = "thread";

function addressed(): string | undefined {
  return (location.pathname === "/" && new URL(location.href).searchParams.get(PARAMETER)) || undefined;
}

/** The thread of the address, made when there is none, and the way to a new one. */
export function useThreadId(): [string, () => void] {
  const [threadId, setThreadId] = useState(() => addressed() ?? randomUUID());
  useEffect(() => {
    if (addressed() !== threadId) history.replaceState(null, "", threadHref(threadId));
  }, [threadId]);
  useEffect(() => {
    const moved = () => {
      if (location.pathname === "/") setThreadId((now) => addressed() ?? now);
    };
    addEventListener("popstate", moved);
    addEventListener(MOVED, moved);
    return () => {
      removeEventListener("popstate", moved);
      removeEventListener(MOVED, moved);
    };
  }, []);
  const begin = useCallback(() => go(threadHref(randomUUID())), []);
  return [threadId, begin];
}
