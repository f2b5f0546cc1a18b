// A page of a dev server, which does what the tests ask of it.

import { HttpAgent } from "@ag-ui/client";
import { WebSocketAgent } from "@aguiws/client";

const agents = {
  HttpAgent: (url, token) => new HttpAgent({ url, headers: token ? { Authorization: `Bearer ${token}` } : {} }),
  WebSocketAgent: (url, token) => new WebSocketAgent({ url, token, backoff: { baseMs: 20, capMs: 100 } }),
};

/** Chats, is asked, and answers. Returns what the agent has said, and what it had asked. */
window.chat = async ({ kind, url, token }) => {
  const agent = agents[kind](url, token);
  const say = (content) => {
    agent.addMessage({ id: crypto.randomUUID(), role: "user", content });
    return agent.runAgent();
  };
  await say("/say hello");
  await say("/confirm Book it?");
  const asked = agent.pendingInterrupts;
  await agent.runAgent({ resume: asked.map(({ id }) => ({ interruptId: id, status: "resolved", payload: { approved: true } })) });
  const said = agent.messages.filter(({ role }) => role === "assistant").map(({ content }) => content);
  return { said, asked: asked.map(({ message }) => message) };
};
