// An application in Node that has installed the package: what it imports has types, and works.

import { randomUUID, type AbstractAgent, type AgentCapabilities } from "@ag-ui/client";
import { TransportError, WebSocketAgent, type ThreadStatus, type WebSocketAgentConfig } from "@aguiws/client";
import * as assert from "node:assert/strict";
import { WebSocket } from "ws";

const config: WebSocketAgentConfig = { url: process.env.AGUIWS_URL!, WebSocket, threadId: randomUUID() };
const agent: AbstractAgent = new WebSocketAgent(config);
const told = new WebSocketAgent(config);
assert.ok(agent instanceof WebSocketAgent);
assert.equal(told.connection, agent.connection, "agents of one address share a socket");

const capabilities: AgentCapabilities = await agent.getCapabilities();
assert.equal(capabilities.transport?.websocket, true);

const say = (content: string) => {
  agent.addMessage({ id: randomUUID(), role: "user", content });
  return agent.runAgent();
};
const contents = (of: AbstractAgent) => of.messages.map(({ role, content }) => `${role}: ${String(content ?? "")}`);

const { newMessages } = await say("/say hello");
assert.deepEqual(newMessages.map((message) => message.content), ["hello"]);

await say('/tool pay {"amount":10}');
const [question] = agent.pendingInterrupts;
assert.equal(question?.reason, "tool_call");
const copy = agent.clone();
assert.ok(copy instanceof WebSocketAgent);
await copy.runAgent({ resume: [{ interruptId: question!.id, status: "resolved", payload: { approved: true, editedArgs: { amount: 7 } } }] });
assert.equal(copy.messages.at(-1)?.content, "I have called pay.");

await told.connectAgent();
assert.deepEqual(contents(told), contents(copy));
const status: ThreadStatus = told.status;
assert.equal(status.connection, "connected");

const before = contents(copy);
const unsent = copy.runAgent({ forwardedProps: {} });
copy.abortRun();
await unsent;
const outcomes: unknown[] = [];
copy.subscribe({
  onTextMessageContentEvent: () => copy.abortRun(),
  onRunFinishedEvent: ({ event }) => void outcomes.push(event.outcome?.type),
});
copy.addMessage({ id: randomUUID(), role: "user", content: "/slow 1000 20" });
await copy.runAgent();
assert.deepEqual(outcomes, ["cancelled"], "one run was sent, and it was stopped");
await told.connectAgent();
assert.deepEqual(contents(told), contents(copy));
assert.deepEqual(contents(told).slice(0, before.length + 1), [...before, "user: /slow 1000 20"], "what was taken back is not in the thread");

const guarded = { url: process.env.AGUIWS_GUARDED_URL!, WebSocket, threadId: randomUUID() };
const admitted = new WebSocketAgent({ ...guarded, token: async () => process.env.AGUIWS_TOKEN! });
await admitted.runAgent();
const stranger = new WebSocketAgent({ ...guarded, token: "another" });
const failure: unknown = await stranger.runAgent().catch((error: unknown) => error);
assert.ok(failure instanceof TransportError);
assert.equal(failure.code, "unauthenticated");

admitted.connection.close();
agent.connection.close();
