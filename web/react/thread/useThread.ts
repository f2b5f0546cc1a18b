import type { ResumeEntry, UserMessage } from "@ag-ui/client";
import type { WebSocketAgent } from "@aguiws/client";
import { useEffect, useMemo, useSyncExternalStore } from "react";
import { ThreadStore, type ThreadPicture } from "./threadstore.js";

export interface Thread extends ThreadPicture {
  /**
   * Asks for a run with this text, or with these parts of text and media. It is refused while a question is open, unless
   * the agent has `unanswered: "cancel"`. Answers whether the server has taken it: `fault` says why it has not, and the
   * message is taken out again.
   */
  send(content: UserMessage["content"]): Promise<boolean>;
  /** Answers open questions, all of them together. Answers whether the server has taken it. */
  answer(entries: readonly ResumeEntry[]): Promise<boolean>;
  /** Stops the run in progress, begun by anybody. */
  stop(): void;
}

export interface ThreadOptions {
  /** Whether runs of others are shown: other tabs, and the server. Default true. */
  follow?: boolean;
}

/** The thread of an agent, followed for as long as the component is there. */
export function useThread(agent: WebSocketAgent, { follow = true }: ThreadOptions = {}): Thread {
  const store = useMemo(() => new ThreadStore(agent), [agent]);
  const picture = useSyncExternalStore(store.watch, store.read, store.read);
  useEffect(() => (follow ? agent.follow() : undefined), [agent, follow]);
  return useMemo(() => ({ ...picture, send: store.send, answer: store.answer, stop: store.stop }), [picture, store]);
}
