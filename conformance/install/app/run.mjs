// What is installed is loaded, by import and by require, and makes an agent that is one of the application's.

import { AbstractAgent } from "@ag-ui/client";
import * as imported from "@aguiws/client";
import * as forCopilotKit from "@aguiws/client/copilotkit";
import assert from "node:assert/strict";
import { createRequire } from "node:module";

const required = createRequire(import.meta.url)("@aguiws/client");
for (const other of [required, forCopilotKit]) {
  for (const [name, value] of Object.entries(imported)) assert.equal(other[name], value, `there are two ${name}`);
}

const refused = { code: "somebody_said_no" };
const agent = new imported.WebSocketAgent({
  url: "ws://127.0.0.1:8080/agui/ws",
  threadId: "t",
  WebSocket: class {},
  token: () => Promise.reject(new imported.TransportError(refused.code, "no")),
});
assert.ok(agent instanceof AbstractAgent);
assert.ok(agent.clone() instanceof imported.WebSocketAgent);
agent.addMessage({ id: "m", role: "user", content: "hello" });
await assert.rejects(agent.runAgent(), refused, "the run goes through @ag-ui/client's pipeline and ours");
agent.connection.close();
