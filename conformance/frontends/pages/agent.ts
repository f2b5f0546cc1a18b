// The agent of both pages, and what the tests ask it.

import { WebSocketAgent } from "@aguiws/client";

const address = new URLSearchParams(location.search);
export const threadId = address.get("thread")!;
export const agent = new WebSocketAgent({
  url: "/agui/ws",
  threadId,
  // The network is gone for seconds, not for minutes.
  backoff: { capMs: 2_000 },
  abort: address.get("abort") === "detach" ? "detach" : "stop",
  unanswered: address.get("unanswered") === "cancel" ? "cancel" : "refuse",
});

if (address.has("follow")) agent.follow();

Object.assign(window, { agent });
