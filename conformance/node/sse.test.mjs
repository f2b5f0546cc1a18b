// Unmodified HttpAgents, of 1.0 and of before, over HTTP and Server-Sent Events.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import * as one from "@ag-ui/client";
import * as before from "client-before-1";
import { approve, cancelled, effects, numbers, resolved, test as anyTest, unique, until, urls } from "./lane.mjs";
import { showing, versionOf } from "./shown.mjs";

const base = (server) => urls[server % urls.length].replace(/^ws/, "http").replace(/\/agui\/ws$/, "");

/** A page that runs the agent over HTTP. */
class Page {
  events = [];

  constructor({ HttpAgent }, threadId = unique("http"), { server = 0, path = "/agui" } = {}) {
    this.threadId = threadId;
    this.server = base(server);
    this.agent = new HttpAgent({ url: this.server + path, threadId });
    this.agent.subscribe({ onEvent: ({ event }) => void this.events.push(event) });
  }

  say(text, parameters) {
    this.agent.addMessage({ id: randomUUID(), role: "user", content: text });
    return this.run(parameters);
  }

  answer(...answers) {
    const resume = this.agent.pendingInterrupts.map((interrupt, i) => ({ interruptId: interrupt.id, ...answers[i] }));
    return this.run({ resume });
  }

  /** Runs, and returns the last event. A client before 1.0 throws when that is an error. */
  async run(parameters) {
    this.events.length = 0;
    await this.agent.runAgent(parameters).catch((error) => {
      if (this.last?.type !== "RUN_ERROR") throw error;
    });
    return this.last;
  }

  get last() {
    return this.events.at(-1);
  }

  get text() {
    return this.agent.messages.findLast((message) => message.role === "assistant" && message.content)?.content ?? "";
  }

  get results() {
    return this.agent.messages.filter((message) => message.role === "tool").map((message) => JSON.parse(message.content));
  }
}

/** Reads Server-Sent Events; gives them up when the reader does. */
async function* events(response) {
  assert.equal(response.status, 200, await (response.status === 200 ? "" : response.text()));
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of response.body) {
    rest += decoder.decode(chunk, { stream: true });
    assert.ok(!rest.includes("\r"));
    const blocks = rest.split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const field = (name) => block.split("\n").find((line) => line.startsWith(name))?.slice(name.length);
      const data = field("data: ");
      yield { id: field("id: "), event: data && JSON.parse(data) };
    }
  }
}

const follow = (page, query = "", headers = {}) => fetch(`${page.server}/agui/threads/${page.threadId}/events${query}`, { headers });

/** What the server tells somebody who comes now, of a thread at rest. */
async function told(page) {
  const all = [];
  for await (const { event } of events(await follow(page))) if (event) all.push(event);
  const [started, state, messages, end] = all;
  assert.equal(started.metadata.aguiws.restated, true);
  return { state: state.snapshot, messages: messages.messages, end };
}

const stop = (page, body) =>
  fetch(`${page.server}/copilotkit/agent/default/stop/${page.threadId}`, { method: "POST", body }).then((answer) => answer.json());

const connects = "with `connect`, as docs/httpagent.md has it";

for (const [version, client, folder] of [["1.0", one, "@ag-ui/client"], ["before 1.0", before, "client-before-1"]]) {
  const test = showing(anyTest, { client: "`HttpAgent` of @ag-ui/client", version: versionOf(folder), way: "`/agui`", lane: "node" }, {
    text: `${version}: text streams`,
    "own tool": `${version}: a tool of the page's own is called and answered`,
    question: `${version}: a call is approved, with and without edits`,
    "several questions": `${version}: several calls in one question are answered differently`,
    "question after reload": [`${version}: a page that is reloaded shows its thread, and the question is answered`, connects],
    "run after reload": [`${version}: a page that is reloaded in mid-run goes on with it`, connects],
  });
  const { HttpAgent, runHttpRequest, transformHttpEventStream } = client;
  class KeptAgent extends HttpAgent {
    connect({ threadId }) {
      const events = `${this.url}/threads/${encodeURIComponent(threadId)}/events`;
      return transformHttpEventStream(runHttpRequest(() => fetch(events)));
    }
  }
  const asked = async (command) => {
    const tool = unique("pay");
    const page = new Page(client);
    await page.say(command ?? `/tool ${tool} {"amount":10}`);
    assert.equal(page.last.outcome.type, "interrupt");
    return { page, tool };
  };

  test(`${version}: text streams`, async () => {
    const page = new Page(client);
    const end = await page.say("/slow 20 5");
    assert.equal(end.type, "RUN_FINISHED");
    assert.equal(page.events.filter((event) => event.type === "TEXT_MESSAGE_CONTENT").length, 20);
    assert.equal(page.text.trim(), numbers(20).trim());
    await page.say("/say and again");
    assert.equal(page.text, "and again");
    assert.deepEqual((await told(page)).messages, page.agent.messages);
  });

  test(`${version}: a page that is reloaded shows its thread, and the question is answered`, async () => {
    const { page, tool } = await asked();
    const again = new Page({ HttpAgent: KeptAgent }, page.threadId);
    await again.agent.connectAgent();
    assert.deepEqual(again.agent.messages, page.agent.messages);
    assert.equal((await again.answer(approve)).type, "RUN_FINISHED");
    assert.deepEqual(await effects(tool), [{ amount: 10 }]);
  });

  test(`${version}: a page that is reloaded in mid-run goes on with it`, async () => {
    const page = new Page(client);
    const running = page.say("/slow 200 10").catch(() => {});
    await until(() => page.text.includes("3 4 5"), "it runs");
    const again = new Page({ HttpAgent: KeptAgent }, page.threadId, { server: 1 });
    const connected = again.agent.connectAgent();
    await until(() => again.text.includes("6 7 8"), "it goes on");
    page.agent.abortRun();
    await running;
    await connected;
    assert.deepEqual([again.text.trim(), again.last.type], [numbers(200).trim(), "RUN_FINISHED"]);
  });

  test(`${version}: state is told`, async () => {
    const page = new Page(client);
    await page.say('/state {"a":1}');
    assert.deepEqual(page.agent.state, (await told(page)).state);
    assert.equal(page.agent.state.a, 1);
  });

  test(`${version}: everything else that the agent can say can be read`, async () => {
    const page = new Page(client);
    for (const command of ["/think hard", "/delegate the work", "/activity", "/effect"]) {
      assert.equal((await page.say(command)).type, "RUN_FINISHED", command);
    }
    assert.equal((await page.say("/fail on purpose")).code, "agent_error");
    assert.equal((await page.say("/say fine")).type, "RUN_FINISHED");
  });

  test(`${version}: a call is approved, with and without edits`, async () => {
    for (const [answer, args] of [[approve, { amount: 10 }], [resolved({ approved: true, editedArgs: { amount: 7 } }), { amount: 7 }]]) {
      const { page, tool } = await asked();
      assert.deepEqual(await effects(tool), []);
      const end = await page.answer(answer);
      assert.equal(end.type, "RUN_FINISHED");
      assert.deepEqual(page.results, [{ executed: true, args }]);
      assert.deepEqual(await effects(tool), [args]);
      assert.deepEqual((await told(page)).messages, page.agent.messages);
    }
  });

  test(`${version}: a call is declined, another cancelled`, async () => {
    for (const [answer, said, results] of [[resolved({ approved: false }), /declined/, 1], [cancelled, /cancelled/, 0]]) {
      const { page, tool } = await asked();
      await page.answer(answer);
      assert.match(page.text, said);
      assert.equal(page.results.length, results);
      assert.deepEqual(await effects(tool), []);
    }
  });

  test(`${version}: several calls in one question are answered differently`, async () => {
    const { page } = await asked("/parallel 3");
    assert.equal(page.agent.pendingInterrupts.length, 3);
    await page.answer(approve, resolved({ approved: false }), cancelled);
    assert.equal(page.results.length, 2);
    assert.match(page.text, /called task_1.*task_2 was declined.*task_3 was cancelled/);
  });

  test(`${version}: an agent asks twice`, async () => {
    const { page } = await asked("/twice");
    const [first] = page.agent.pendingInterrupts;
    assert.equal((await page.answer(resolved())).outcome.type, "interrupt");
    assert.notEqual(page.agent.pendingInterrupts[0].id, first.id);
    await page.answer(resolved());
    assert.equal(page.text, "Asked twice, answered twice.");
  });

  test(`${version}: a refused answer says where it is wrong, and a corrected one works`, async () => {
    const { page } = await asked("/form");
    const [question] = page.agent.pendingInterrupts;
    const refused = await page.answer(resolved({ quarter: "Q9", year: 1999, revenue: "much" }));
    assert.equal(refused.code, "interrupt_payload_invalid");
    const fields = JSON.stringify(refused.metadata.aguiws.fields);
    for (const pointer of ["/quarter", "/year", "/revenue"]) assert.ok(fields.includes(pointer), fields);
    await page.run({ resume: [{ interruptId: question.id, ...resolved({ quarter: "Q2", year: 2026, revenue: 12.5 }) }] });
    assert.match(page.text, /12.5/);
  });

  test(`${version}: a message while a question is open is refused as an event`, async () => {
    const { page } = await asked();
    const stranger = new Page(client, page.threadId, { server: 1 });
    const refused = await stranger.say("/say hello");
    assert.equal(refused.code, "interrupts_pending");
    assert.deepEqual(refused.metadata.aguiws.interruptIds, page.agent.pendingInterrupts.map(({ id }) => id));
  });

  test(`${version}: an answer sent by two pages at once is carried out once`, async () => {
    const { page, tool } = await asked();
    const [{ id }] = page.agent.pendingInterrupts;
    const other = new Page(client, page.threadId, { server: 1 });
    const resume = [{ interruptId: id, ...approve }];
    const ends = await Promise.all([page.run({ resume }), other.run({ resume })]);
    assert.deepEqual(ends.map((end) => end.type), ["RUN_FINISHED", "RUN_FINISHED"]);
    assert.deepEqual(await effects(tool), [{ amount: 10 }]);
    for (const { results } of [page, other]) assert.deepEqual(results, [{ executed: true, args: { amount: 10 } }]);
  });

  test(`${version}: a page that comes later answers, under a runId of its own`, async () => {
    const { page, tool } = await asked();
    const [{ id }] = page.agent.pendingInterrupts;
    const later = new Page(client, page.threadId, { server: 1 });
    await later.run({ resume: [{ interruptId: id, ...approve }], runId: randomUUID() });
    assert.equal(later.last.type, "RUN_FINISHED");
    assert.deepEqual(await effects(tool), [{ amount: 10 }]);
  });

  test(`${version}: a tool of the page's own is called and answered`, async () => {
    const page = new Page(client);
    const tools = [{ name: "pick", description: "Picks.", parameters: { type: "object", properties: { from: { type: "number" } } } }];
    await page.say('/frontend pick {"from":3}', { tools });
    assert.equal(page.last.type, "RUN_FINISHED");
    const [call] = page.agent.messages.findLast((message) => message.toolCalls?.length).toolCalls;
    assert.deepEqual([call.function.name, JSON.parse(call.function.arguments)], ["pick", { from: 3 }]);
    page.agent.addMessage({ id: randomUUID(), role: "tool", toolCallId: call.id, content: "two" });
    await page.run({ tools });
    assert.equal(page.text, "The frontend answered pick: two");
  });

  test(`${version}: a page that gives up stops nothing that another follows; stopping does, and the thread goes on`, async () => {
    const page = new Page(client);
    const running = page.say("/slow 5000 5").catch(() => {});
    await until(() => page.text.includes("3 4 5"), "it runs");
    page.agent.abortRun();
    await running;
    const following = events(await follow(page));
    await following.next();
    let live;
    for await (const { id, event } of following) {
      if (id && event?.type === "TEXT_MESSAGE_CONTENT") {
        live = event;
        break;
      }
    }
    assert.ok(live, "the run goes on");
    const watching = events(await follow(page));
    assert.equal((await stop(page)).stopped, true);
    let end;
    for await (const { event } of watching) end = event ?? end;
    assert.deepEqual([end.type, end.outcome], ["RUN_FINISHED", { type: "cancelled" }]);
    assert.equal((await stop(page, JSON.stringify({ runId: "none" }))).stopped, false);
    await page.say("/say still here");
    assert.equal(page.text, "still here");
  });

  test(`${version}: the end of a run that is stopped is one that the page can read`, async () => {
    const page = new Page(client);
    const running = page.say("/slow 5000 5");
    await until(() => page.text.includes("3 4 5"), "it runs");
    await stop(page);
    const end = await running;
    if (client === one) assert.deepEqual([end.type, end.outcome], ["RUN_FINISHED", { type: "cancelled" }]);
    else assert.deepEqual([end.type, end.code], ["RUN_ERROR", "cancelled"]);
  });

  test(`${version}: through the CopilotKit endpoint it is the same`, async () => {
    const page = new Page(client, unique("http"), { path: "/copilotkit/agent/default/run" });
    const tool = unique("pay");
    await page.say(`/tool ${tool} {"amount":10}`);
    await page.answer(approve);
    assert.match(page.text, /I have called/);
    assert.deepEqual(await effects(tool), [{ amount: 10 }]);
  });
}

anyTest("a stream that was lost is continued after its last event, on another server", async () => {
  const page = new Page(one);
  const response = await fetch(`${page.server}/agui`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({
      threadId: page.threadId, runId: "r1", tools: [], context: [], state: {}, forwardedProps: {},
      messages: [{ id: "m1", role: "user", content: "/slow 200 5" }],
    }),
  });
  const seen = [];
  let last;
  for await (const { id, event } of events(response)) {
    seen.push(event);
    last = id;
    if (seen.length === 20) break;
  }
  page.server = base(1);
  const rest = await follow(page, "?after=wrong:1", { "Last-Event-ID": last });
  assert.equal(rest.headers.get("Aguiws-Recovered"), "true");
  let [epoch, seq] = last.split(":");
  for await (const { id, event } of events(rest)) {
    seen.push(event);
    assert.equal(id, `${epoch}:${++seq}`);
  }
  assert.equal(seen.filter((event) => event.type === "TEXT_MESSAGE_CONTENT").map((event) => event.delta).join("").trim(), numbers(200).trim());
  assert.equal(seen.at(-1).type, "RUN_FINISHED");
});
