import type { Message } from "@ag-ui/client";
import { useEffect, useState } from "react";
import { call, type ThreadInfo } from "../server/api";
import { textOf } from "./messagetext";

/** A longer title says no more, in characters. */
const LENGTH = 60;

/** What a conversation is called where it is looked at: how it began. Undefined before that. */
export function titleOf(messages: readonly Message[]): string | undefined {
  return shortened(textOf(messages.find((message) => message.role === "user")?.content));
}

function shortened(title: string): string | undefined {
  const text = [...title.trim().replace(/\s+/g, " ")];
  if (text.length === 0) return undefined;
  return text.length > LENGTH ? `${text.slice(0, LENGTH - 1).join("")}…` : text.join("");
}

/** What a conversation is called of which these messages are held. `cut`: not from its beginning, which the server knows. */
export function useTitle(threadId: string, messages: readonly Message[], cut: boolean): string | undefined {
  const [told, tell] = useState<Pick<ThreadInfo, "threadId" | "title">>();
  useEffect(() => {
    if (!cut) return;
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
  }, [threadId, cut]);
  if (!cut) return titleOf(messages);
  return told?.threadId === threadId ? shortened(told.title) : undefined;
}
