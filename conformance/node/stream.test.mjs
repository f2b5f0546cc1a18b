// Text on its way: dropped sockets, reloads, second clients.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { Client, contents, numbers, same, test as anyTest, unique, until } from "./lane.mjs";
import { showing, versionOf } from "./shown.mjs";

const test = showing(anyTest, { client: "`WebSocketAgent` on @ag-ui/client", version: versionOf("@ag-ui/client"), way: "`agui.v1.json`", lane: "node" }, {
  text: "a run streams text and ends",
  "own tool": "a tool of the page's own is called and answered",
  "run after reload": "a page that is reloaded in mid-stream goes on",
  cut: "a socket that drops 4 times in mid-stream is invisible",
  stop: "a run that is cancelled ends, and what it said stays",
});

test("a run streams text and ends", async () => {
  const watcher = await new Client(unique("say"), { server: 1 }).follow();
  const client = new Client(watcher.agent.threadId);
  const { newMessages } = await client.say("/say one two three");
  assert.deepEqual(newMessages.map((m) => [m.role, m.content]), [["assistant", "one two three"]]);
  assert.ok(client.count("TEXT_MESSAGE_CONTENT") > 1, "the text came in one piece");
  const picture = await same(client, watcher);
  assert.deepEqual(contents(picture, "user"), ["/say one two three"]);
});

test("a tool of the page's own is called and answered", async () => {
  const client = new Client(unique("tool"));
  const tools = [{ name: "pick", description: "Picks.", parameters: { type: "object", properties: { from: { type: "number" } } } }];
  await client.say('/frontend pick {"from":3}', { tools });
  const [call] = client.agent.messages.findLast((message) => message.toolCalls?.length).toolCalls;
  assert.deepEqual([call.function.name, JSON.parse(call.function.arguments)], ["pick", { from: 3 }]);
  client.agent.addMessage({ id: randomUUID(), role: "tool", toolCallId: call.id, content: "two" });
  await client.run({ tools });
  assert.equal(client.agent.messages.at(-1).content, "The frontend answered pick: two");
});

test("several runs make one thread", async () => {
  const client = new Client(unique("runs"));
  const watcher = await new Client(client.agent.threadId, { server: 1 }).follow();
  for (const word of ["one", "two", "three"]) await client.say(`/say ${word}`);
  const picture = await same(client, watcher);
  assert.deepEqual(contents(picture, "assistant"), ["one", "two", "three"]);
});

for (const cuts of [1, 4]) {
  test(`a socket that drops ${cuts} times in mid-stream is invisible`, async () => {
    const watcher = await new Client(unique("drop"), { server: 1 }).follow();
    const client = new Client(watcher.agent.threadId);
    const running = client.say("/slow 300 20"); // so that it is not over before the last cut
    for (let i = 1; i <= cuts; i++) {
      await until(() => client.text.length > i * 20, "more text");
      client.cut();
    }
    await running;
    assert.equal(client.text, numbers(300));
    assert.equal(client.count("RUN_STARTED"), 1, "the run began again");
    assert.equal(client.sockets.length, cuts + 1);
    await same(client, watcher);
  });
}

test("a follower whose socket drops misses nothing", async () => {
  const watcher = await new Client(unique("follow"), { server: 1 }).follow();
  const client = new Client(watcher.agent.threadId);
  const running = client.say("/slow 60 30");
  await until(() => watcher.text.length > 20, "text at the follower");
  watcher.cut();
  await running;
  assert.equal(watcher.agent.status.restated, undefined, "the follower was restated, though it held its position");
  await same(client, watcher);
});

test("a socket that drops before the answer to an input", async () => {
  const client = new Client(unique("early"));
  const watcher = await new Client(client.agent.threadId, { server: 1 }).follow();
  await client.agent.getCapabilities();
  for (let i = 0; i < 5; i++) {
    const running = client.say(`/say again ${i}`);
    await Promise.resolve().then(() => client.cut());
    await running;
  }
  const picture = await same(client, watcher);
  assert.deepEqual(contents(picture, "assistant"), [0, 1, 2, 3, 4].map((i) => `again ${i}`));
});

test("a page that is reloaded in mid-stream goes on", async () => {
  const client = new Client(unique("reload"));
  const running = client.say("/slow 60 30");
  const reloaded = [];
  for (const [i, length] of [15, 60, 110].entries()) {
    await until(() => client.text.length > length, "more text");
    const page = new Client(client.agent.threadId, { server: i });
    reloaded.push(page.connect().then(() => page));
  }
  for (const page of await Promise.all(reloaded)) {
    assert.equal(page.text, numbers(60));
    assert.equal(page.count("RUN_STARTED"), 1);
  }
  await running;
  await same(client);
});

test("a page that is reloaded at rest shows the same", async () => {
  const client = new Client(unique("rest"));
  await client.say('/state {"count":1}');
  await client.say("/say hello");
  const picture = await same(client);
  assert.deepEqual(picture.state, { count: 1, steps: ["snapshot", "delta"] });
  assert.equal(picture.messages.length, 4);
});

test("a failed run leaves a thread that goes on", async () => {
  const client = new Client(unique("fail"));
  const watcher = await new Client(client.agent.threadId, { server: 1 }).follow();
  await client.say("/fail out of paper");
  assert.equal(client.error, "agent_error");
  assert.equal(client.events.at(-1).message, "out of paper");
  await client.say("/panic");
  assert.equal(client.error, "agent_error");
  await client.say("/say on");
  assert.equal(client.text, "on");
  await same(client, watcher);
});

test("a run that is cancelled ends, and what it said stays", async () => {
  const client = new Client(unique("cancel"));
  const watcher = await new Client(client.agent.threadId, { server: 1 }).follow();
  const running = client.say("/slow 1000 20");
  await until(() => watcher.text.length > 10, "some text");
  watcher.agent.stopRun();
  await running;
  assert.equal(client.events.at(-1).outcome?.type, "cancelled");
  assert.ok(client.text.startsWith("1 2 3 "), client.text);
  await client.say("/say on");
  await same(client, watcher);
});

test("inputs wait for the run in progress, in order", async () => {
  const first = new Client(unique("queue"));
  const second = await new Client(first.agent.threadId, { server: 1 }).follow();
  const running = first.say("/slow 200 50");
  await until(() => second.text.length > 10, "the run in progress");
  const waiting = second.say("/say second");
  const last = second.say("/say third");
  await until(() => second.agent.status.queued.length === 2, "two inputs wait");
  await Promise.all([running, waiting, last]);
  assert.equal(second.agent.status.queued.length, 0);
  await until(() => second.text === "third", "the last answer");
  const fresh = new Client(first.agent.threadId);
  await fresh.connect();
  assert.deepEqual(contents(fresh.picture, "assistant"), [numbers(200), "second", "third"]);
  assert.deepEqual(contents(fresh.picture, "user"), ["/slow 200 50", "/say second", "/say third"]);
});

test("an input that waits can be cancelled", async () => {
  const client = await new Client(unique("unqueue")).follow();
  const active = unique("run");
  const running = client.say("/slow 2000 20", { runId: active });
  await until(() => client.text.length > 10, "the run in progress");
  const runId = unique("run");
  const waiting = client.say("/say never", { runId });
  await until(() => client.agent.status.queued.length === 1, "the input waits");
  client.agent.stopRun(runId);
  await until(() => client.frames.some((frame) => frame.includes("ws.cancelled")), "the answer to the stop");
  client.agent.stopRun(active);
  await Promise.all([running, waiting]);
  await until(() => client.agent.status.activeRunId === undefined, "rest");
  const fresh = new Client(client.agent.threadId);
  await fresh.connect();
  const [said, ...more] = contents(fresh.picture, "assistant");
  assert.ok(numbers(2000).startsWith(said), said);
  assert.deepEqual(more, []);
});
