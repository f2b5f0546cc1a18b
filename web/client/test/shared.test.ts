// The page's connections: who shares one, and for how long.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { connectionFor, WebSocketAgent } from "../index";
import { recorded, settle } from "./fake";
import { quietly } from "./scenes";

quietly();

/** Collects what nobody holds. What was looked at in this turn of the event loop is held to its end. */
async function collect(): Promise<void> {
  setFlagsFromString("--expose-gc");
  const gc = runInNewContext("gc") as () => void;
  await new Promise((resolve) => process.nextTick(resolve));
  await settle();
  gc();
}

it("is shared by address and credential", () => {
  const connection = connectionFor({ url: "ws://a/agui/ws" });
  expect(connectionFor({ url: "ws://a/agui/ws" })).toBe(connection);
  expect(connectionFor({ url: "ws://b/agui/ws" })).not.toBe(connection);
  expect(connectionFor({ url: "ws://a/agui/ws", token: "x" })).not.toBe(connection);
  expect(new WebSocketAgent({ url: "ws://a/agui/ws" }).clone().connection).toBe(connection);
});

it("is not shared any more once it is closed: what one person began is not sent as the next", async () => {
  const { sockets, WebSocket } = recorded();
  let who = "ann";
  const options = { url: "ws://closed/agui/ws", WebSocket, token: () => who };
  const ann = new WebSocketAgent({ ...options, threadId: "t" });
  ann.addMessage({ id: "u1", role: "user", content: "ann's" });
  void ann.runAgent({ runId: "r1" });
  await settle();
  ann.connection.close();
  who = "bob";
  const bob = new WebSocketAgent({ ...options, threadId: "t" });
  expect(bob.connection).not.toBe(ann.connection);
  bob.follow();
  await settle();
  expect(sockets).toHaveLength(2);
  sockets[1]!.hello();
  await settle();
  expect(sockets[1]!.sent.map((frame) => frame.type)).toEqual(["ws.attach"]);
  bob.connection.close();
});

it("is kept no longer than its agents, with its token", async () => {
  const held = connectionFor({ url: "ws://kept/agui/ws", token: "held" });
  const forgotten = new WeakRef(connectionFor({ url: "ws://kept/agui/ws", token: "forgotten" }));
  await collect();
  expect(forgotten.deref()).toBeUndefined();
  expect(connectionFor({ url: "ws://kept/agui/ws", token: "held" })).toBe(held);
});

it("stays shared while its socket is open, though no agent is held", async () => {
  const { sockets, WebSocket } = recorded();
  const options = { url: "ws://lingers/agui/ws", WebSocket };
  new WebSocketAgent({ ...options, threadId: "t" }).follow();
  await settle();
  sockets[0]!.hello();
  await collect();
  const agent = new WebSocketAgent({ ...options, threadId: "t2" });
  agent.follow();
  expect(sockets).toHaveLength(1);
  agent.connection.close();
});
