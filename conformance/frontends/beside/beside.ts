// An application of CopilotKit with another @ag-ui/client than CopilotKit's own: its core takes the agent, by its types
// and at run time, and leads it through an approval.

import { AbstractAgent, randomUUID } from "@ag-ui/client";
import { WebSocketAgent as WebSocketAgentOfMine } from "@aguiws/client";
import { WebSocketAgent } from "@aguiws/client/copilotkit";
import { CopilotKitCore } from "@copilotkit/core";
import * as assert from "node:assert/strict";
import { WebSocket } from "ws";

const threadId = randomUUID();
const config = { url: process.env.AGUIWS_URL!, WebSocket, threadId };
const agent = new WebSocketAgent(config);
assert.ok(AbstractAgent.prototype.isPrototypeOf(agent), "it is one of the application's own @ag-ui/client");

const core = new CopilotKitCore({ agents__unsafe_dev_only: { default: agent } });
assert.equal(core.getAgent("default"), agent);
core.addTool({ name: "where", description: "Where the page is", handler: async () => "in a process" });

await core.connectAgent({ agent });
const say = (content: string) => {
  agent.addMessage({ id: randomUUID(), role: "user", content });
  return core.runAgent({ agent });
};
const last = () => String(agent.messages.at(-1)?.content);

await say("/say hello");
assert.equal(last(), "hello");

await say("/frontend where {}");
assert.ok(last().includes("in a process"), "the tool's result went to the agent: " + last());

await say('/tool pay {"amount":10}');
const [question] = agent.pendingInterrupts;
assert.equal(question?.reason, "tool_call");
await core.runAgent({ agent, resume: [{ interruptId: question!.id, status: "resolved", payload: { approved: true } }] });
assert.equal(last(), "I have called pay.");

const told = new WebSocketAgent(config);
await core.connectAgent({ agent: told });
assert.deepEqual(told.messages.map(({ content }) => content), agent.messages.map(({ content }) => content));
assert.equal(told.connection, agent.connection);
agent.connection.close();

// @ts-expect-error: this type is that of the application's AbstractAgent, whose private members are not those of CopilotKit's
export const refused = () => core.connectAgent({ agent: new WebSocketAgentOfMine(config) });
