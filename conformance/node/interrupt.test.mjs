// Questions and answers: every kind, given twice, given wrongly, given elsewhere.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { approve, cancelled, Client, contents, effects, resolved, same, test as anyTest, unique, until } from "./lane.mjs";
import { showing, versionOf } from "./shown.mjs";

const test = showing(anyTest, { client: "`WebSocketAgent` on @ag-ui/client", version: versionOf("@ag-ui/client"), way: "`agui.v1.json`", lane: "node" }, {
  question: "an approval with edits carries out what was edited",
  "several questions": "three calls in one question, answered differently",
  "question after reload": "a client that comes later answers",
});

const results = (picture) => contents(picture, "tool").map((content) => JSON.parse(content));

/** A client that has been asked, one that watches, and the tool it was asked about. */
async function asked(command) {
  const tool = unique("pay");
  const client = new Client(unique("ask"));
  const watcher = await new Client(client.agent.threadId, { server: 1 }).follow();
  await client.say(command ?? `/tool ${tool} {"amount":10}`);
  assert.ok(client.agent.pendingInterrupts.length > 0, "nothing was asked");
  await same(client, watcher);
  return { client, watcher, tool };
}

test("an approval carries the call out once", async () => {
  const { client, watcher, tool } = await asked();
  const [question] = client.agent.pendingInterrupts;
  assert.equal(question.reason, "tool_call");
  assert.ok(question.responseSchema.properties.editedArgs);
  await client.answer(approve);
  const picture = await same(client, watcher);
  assert.deepEqual(results(picture), [{ executed: true, args: { amount: 10 } }]);
  assert.deepEqual(picture.pendingInterrupts, []);
  assert.deepEqual(await effects(tool), [{ amount: 10 }]);
});

test("an approval with edits carries out what was edited", async () => {
  const { client, watcher, tool } = await asked();
  await client.answer(resolved({ approved: true, editedArgs: { amount: 7, note: "less" } }));
  assert.deepEqual(results(await same(client, watcher)), [{ executed: true, args: { amount: 7, note: "less" } }]);
  assert.deepEqual(await effects(tool), [{ amount: 7, note: "less" }]);
});

test("a decline carries nothing out and says so", async () => {
  const { client, watcher, tool } = await asked();
  await client.answer(resolved({ approved: false, reason: "too much" }));
  const picture = await same(client, watcher);
  assert.equal(results(picture).length, 1);
  assert.match(client.text, /declined/);
  assert.deepEqual(await effects(tool), []);
});

test("a cancelled question leaves no result", async () => {
  const { client, watcher, tool } = await asked();
  await client.answer(cancelled);
  const picture = await same(client, watcher);
  assert.equal(results(picture).length, 0);
  assert.match(client.text, /cancelled/);
  assert.deepEqual(await effects(tool), []);
});

test("the watching client answers as well as the asking one", async () => {
  const { client, watcher, tool } = await asked();
  await client.agent.follow();
  await watcher.answer(approve);
  await same(watcher, client);
  assert.deepEqual(await effects(tool), [{ amount: 10 }]);
});

test("a client that comes later answers", async () => {
  const { client, watcher, tool } = await asked();
  client.connection.close();
  const later = new Client(watcher.agent.threadId, { server: 1 });
  await later.connect();
  await later.answer(approve);
  await same(later, watcher);
  assert.deepEqual(await effects(tool), [{ amount: 10 }]);
});

test("a form is filled in wrongly, refused, and corrected", async () => {
  const { client, watcher } = await asked("/form");
  const [question] = client.agent.pendingInterrupts;
  assert.equal(question.reason, "input_required");
  await client.answer(resolved({ quarter: "Q9", year: 1999, revenue: "much" }));
  assert.equal(client.error, "interrupt_payload_invalid");
  const fields = JSON.stringify(client.events.at(-1).metadata.aguiws.fields);
  for (const pointer of ["/quarter", "/year", "/revenue"]) assert.ok(fields.includes(pointer), `${pointer} in ${fields}`);
  assert.deepEqual(client.agent.pendingInterrupts, [question]);
  await same(client, watcher);
  await client.answer(resolved({ quarter: "Q2", year: 2026, revenue: 12.5 }));
  assert.equal(client.error, undefined);
  await same(client, watcher);
  assert.deepEqual(JSON.parse(/\{.*\}/.exec(client.text)[0]), { quarter: "Q2", year: 2026, revenue: 12.5 });
});

test("a confirmation needs no payload", async () => {
  const { client, watcher } = await asked("/confirm Really?");
  assert.equal(client.agent.pendingInterrupts[0].message, "Really?");
  await client.answer(resolved());
  await same(client, watcher);
  assert.equal(client.text, "Confirmed.");
});

test("an agent asks twice", async () => {
  const { client, watcher } = await asked("/twice");
  const [first] = client.agent.pendingInterrupts;
  await client.answer(resolved());
  const [second] = client.agent.pendingInterrupts;
  assert.notEqual(second.id, first.id);
  await same(client, watcher);
  await client.answer(resolved());
  assert.deepEqual((await same(client, watcher)).pendingInterrupts, []);
  assert.equal(client.text, "Asked twice, answered twice.");
});

test("three calls in one question, answered differently", async () => {
  const { client, watcher } = await asked("/parallel 3");
  assert.equal(client.agent.pendingInterrupts.length, 3);
  await client.answer(approve, resolved({ approved: false }), cancelled);
  const picture = await same(client, watcher);
  assert.equal(results(picture).length, 2);
  assert.match(client.text, /called task_1.*task_2 was declined.*task_3 was cancelled/);
});

test("an answer that leaves a question out is refused", async () => {
  const { client, watcher } = await asked("/parallel 2");
  const [first] = client.agent.pendingInterrupts;
  const stranger = new Client(client.agent.threadId, { server: 1 });
  await stranger.run({ resume: [{ interruptId: first.id, ...approve }] });
  assert.equal(stranger.error, "interrupts_uncovered");
  assert.deepEqual(stranger.events.at(-1).metadata.aguiws.interruptIds, [client.agent.pendingInterrupts[1].id]);
  await client.answer(approve, approve);
  assert.equal(results(await same(client, watcher)).length, 2);
});

test("a message without an answer is refused while a question is open", async () => {
  const { client, watcher } = await asked();
  const stranger = new Client(client.agent.threadId, { server: 1 });
  await stranger.say("/say hello");
  assert.equal(stranger.error, "interrupts_pending");
  await same(client, watcher);
});

test("an answer to a question that was never put is refused", async () => {
  const client = new Client(unique("unknown"));
  await client.say("/say hello");
  await client.run({ resume: [{ interruptId: randomUUID(), ...approve }] });
  assert.equal(client.error, "interrupt_unknown");
});

test("an answer given twice is carried out once", async () => {
  const { client, watcher, tool } = await asked();
  const [question] = client.agent.pendingInterrupts;
  const twin = new Client(client.agent.threadId, { server: 1 });
  await twin.connect();
  const [a, b] = await Promise.allSettled([client.answer(approve), twin.answer(approve)]);
  assert.deepEqual([a.status, b.status], ["fulfilled", "fulfilled"]);
  assert.deepEqual([client.error, twin.error], [undefined, undefined]);
  const third = new Client(client.agent.threadId);
  await third.run({ resume: [{ interruptId: question.id, ...approve }] });
  assert.equal(third.error, undefined);
  await same(client, watcher, third);
  assert.deepEqual(await effects(tool), [{ amount: 10 }]);
});

test("a question that was answered otherwise is a conflict", async () => {
  const { client, watcher, tool } = await asked();
  const [question] = client.agent.pendingInterrupts;
  await client.answer(approve);
  const late = new Client(client.agent.threadId, { server: 1 });
  await late.run({ resume: [{ interruptId: question.id, ...resolved({ approved: false }) }] });
  assert.equal(late.error, "interrupt_conflict");
  await same(client, watcher);
  assert.deepEqual(await effects(tool), [{ amount: 10 }]);
});

test("a question that has expired cannot be answered, only cancelled", async () => {
  const { client, watcher } = await asked("/expire 1");
  const [question] = client.agent.pendingInterrupts;
  await until(() => Date.now() > Date.parse(question.expiresAt) + 100, "the deadline");
  const late = new Client(client.agent.threadId, { server: 1 });
  await late.run({ resume: [{ interruptId: question.id, ...resolved() }] });
  assert.equal(late.error, "interrupt_expired");
  await same(client, watcher);
  await client.answer(cancelled);
  await same(client, watcher);
  assert.equal(client.text, "Cancelled.");
});

test("another message cancels the question and begins anew", async () => {
  const { client, watcher, tool } = await asked();
  const resume = client.agent.pendingInterrupts.map(({ id }) => ({ interruptId: id, ...cancelled }));
  await client.say("/say something else", { resume });
  await same(client, watcher);
  assert.equal(client.text, "something else");
  assert.deepEqual(await effects(tool), []);
});

test("a socket that drops around an answer executes it once", async () => {
  const { client, watcher, tool } = await asked();
  const answering = client.answer(approve);
  client.cut();
  await answering;
  await same(client, watcher);
  assert.deepEqual(await effects(tool), [{ amount: 10 }]);
});
