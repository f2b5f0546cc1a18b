// Unmodified HttpAgents, of 1.0 and of before, stop by closing the connection.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import * as one from "@ag-ui/client";
import * as before from "client-before-1";
import { test as anyTest, unique, until, urls } from "./lane.mjs";
import { showing, versionOf } from "./shown.mjs";

const base = (server) => urls[server % urls.length].replace(/^ws/, "http").replace(/\/agui\/ws$/, "");
const GRACE_MS = 3000; // the server's default
const long = "/slow 10000 10";

class Page {
  constructor({ HttpAgent }, { threadId = unique("leaves"), server = 0, path = "/agui" } = {}) {
    this.threadId = threadId;
    this.server = base(server);
    this.agent = new HttpAgent({ url: this.server + path, threadId });
  }

  say(text, parameters) {
    this.agent.addMessage({ id: randomUUID(), role: "user", content: text });
    return this.agent.runAgent(parameters);
  }

  get text() {
    const last = this.agent.messages.at(-1);
    return last?.role === "assistant" ? (last.content ?? "") : "";
  }

  /** Begins a long run, and leaves it by the stop button. */
  async stopped(runId = randomUUID()) {
    const running = this.say(long, { runId }).catch(() => {});
    await until(() => this.text.includes("3 4 5"), "it runs");
    this.agent.abortRun();
    await running;
    return Date.now();
  }
}

/** The states of a thread's runs: nobody follows it by looking. */
const states = async (page) => {
  const { items } = await (await fetch(`${page.server}/v1/threads/${page.threadId}/runs`)).json();
  return items.map(({ state }) => state);
};

for (const [folder, client] of [["@ag-ui/client", one], ["client-before-1", before]]) {
  const version = `@ag-ui/client ${versionOf(folder)}`;
  const test = showing(anyTest, { client: "`HttpAgent` of @ag-ui/client", version: versionOf(folder), way: "`/agui`", lane: "node" }, {
    cut: [`${version} HttpAgent: the same input within the grace keeps the run`, "with the same input, sent again"],
    stop: `${version} HttpAgent: abortRun stops the run, and the next message begins at once`,
  });
  test(`${version} HttpAgent: abortRun stops the run, and the next message begins at once`, async () => {
    const page = new Page(client);
    const left = await page.stopped();
    const next = new Page(client, { threadId: page.threadId });
    await next.say("/say here");
    const took = Date.now() - left;
    assert.equal(next.text, "here");
    assert.ok(took < GRACE_MS, `the next message took ${took} ms`);
  });

  test(`${version} HttpAgent: on another server the next message begins when the grace is over`, async () => {
    const page = new Page(client);
    await page.stopped();
    const next = new Page(client, { threadId: page.threadId, server: 1 });
    await next.say("/say here");
    assert.equal(next.text, "here");
  });

  test(`${version} HttpAgent: abortRun ends the run as cancelled when the grace is over`, async () => {
    const page = new Page(client);
    await page.stopped("left");
    for (const deadline = Date.now() + 60_000; (await states(page)).includes("claimed"); ) assert.ok(Date.now() < deadline, "the run ends");
    const told = await (await fetch(`${page.server}/agui/threads/${page.threadId}/events`)).text();
    assert.match(told, /"RUN_FINISHED".*"outcome":\{"type":"cancelled"\}/);
  });

  test(`${version} HttpAgent: the same input within the grace keeps the run`, async () => {
    const page = new Page(client);
    await page.stopped("kept");
    const again = new Page(client, { threadId: page.threadId });
    again.agent.messages = page.agent.messages.filter((message) => message.role === "user");
    const running = again.agent.runAgent({ runId: "kept" }).catch(() => {});
    await until(() => again.text.includes("9 10 11"), "it is told again");
    const told = again.text.length;
    const since = Date.now();
    await until(() => Date.now() - since > GRACE_MS + 500 && again.text.length > told, "it goes on after the grace");
    const stop = await fetch(`${page.server}/agui/threads/${page.threadId}/runs/kept/stop`, { method: "POST" });
    assert.deepEqual(await stop.json(), { stopped: true });
    await running;
  });

  test(`${version} HttpAgent: a run that somebody else follows goes on`, async () => {
    const page = new Page(client);
    const running = page.say(long, { runId: "followed" }).catch(() => {});
    await until(() => page.text.includes("3 4 5"), "it runs");
    const follower = await fetch(`${base(1)}/agui/threads/${page.threadId}/events`);
    const reader = follower.body.getReader();
    await reader.read();
    page.agent.abortRun();
    await running;
    for (const since = Date.now(); Date.now() - since < GRACE_MS + 500; ) assert.equal((await reader.read()).done, false);
    const stop = await fetch(`${page.server}/agui/threads/${page.threadId}/runs/followed/stop`, { method: "POST" });
    assert.deepEqual(await stop.json(), { stopped: true });
    await reader.cancel();
  });

  test(`${version} HttpAgent: leaving after a question leaves it open`, async () => {
    const page = new Page(client);
    await page.say("/confirm Shall I?");
    page.agent.abortRun();
    const [question] = page.agent.pendingInterrupts;
    await page.agent.runAgent({ resume: [{ interruptId: question.id, status: "resolved", payload: { approved: true } }] });
    assert.equal(page.agent.pendingInterrupts.length, 0);
  });

  test(`${version} HttpAgent: on /copilotkit, leaving stops nothing`, async () => {
    const page = new Page(client, { path: "/copilotkit/agent/default/run" });
    await page.stopped("goes-on");
    const since = Date.now();
    await until(() => Date.now() - since > GRACE_MS + 500, "the grace is over");
    const stop = await fetch(`${page.server}/agui/threads/${page.threadId}/runs/goes-on/stop`, { method: "POST" });
    assert.deepEqual(await stop.json(), { stopped: true });
  });
}
