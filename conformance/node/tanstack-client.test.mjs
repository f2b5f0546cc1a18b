// TanStack AI's own chat on the package's connection: what its users do, and what happens to them.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { afterEach } from "node:test";
import { ChatClient } from "@tanstack/ai-client";
import { aguiws } from "./build/tanstack.mjs";
import { effects, KeptSocket, numbers, test as anyTest, unique, until, urls } from "./lane.mjs";
import { showing } from "./shown.mjs";

const { version } = JSON.parse(await readFile(new URL("node_modules/@tanstack/ai-client/package.json", import.meta.url), "utf8"));
const named = (feature, body) => anyTest(`@tanstack/ai-client ${version} on @aguiws/client/tanstack: ${feature}`, body);
const test = showing(named, { client: "@tanstack/ai-client", version, way: "`@aguiws/client/tanstack`", lane: "node" }, {
  text: "chat",
  "own tool": "client tool",
  question: "interrupt, tool, answered at once",
  "several questions": "interrupt, two parallel, answered at once",
  "question after reload": "interrupt, tool, answered after a reload",
  "run after reload": "reload in mid-run",
  cut: "a socket that drops 4 times in mid-message",
  stop: "stop",
});

const pages = new Set();
afterEach(() => {
  for (const page of pages) page.close();
  pages.clear();
});

/** A page with one chat, on a socket of its own. */
class Page {
  sockets = [];
  frames = [];
  errors = [];
  chunks = [];

  constructor(threadId, { server = 0, ...options } = {}) {
    const { sockets, frames } = this;
    class Recorded extends KeptSocket {
      constructor(url, protocols) {
        super(url, protocols);
        sockets.push(this);
      }

      send(data) {
        frames.push(JSON.parse(data));
        super.send(data);
      }
    }
    this.threadId = threadId;
    this.connection = aguiws({
      url: urls[server % urls.length], WebSocket: Recorded, lingerMs: 0, backoff: { baseMs: 20, capMs: 100 }, ...options.connection,
    });
    this.chat = new ChatClient({
      connection: this.connection,
      threadId,
      onError: (error) => this.errors.push(error),
      onChunk: (chunk) => this.chunks.push(chunk),
      ...options.chat,
    });
    pages.add(this);
  }

  /** A page that is loaded, or loaded anew: the chat asks the server what there is. */
  static async load(threadId, options, shows) {
    const page = new Page(threadId, { ...options, chat: { persistence: true, ...options?.chat } });
    page.chat.attach();
    await until(() => shows(page), "the page shows the thread");
    return page;
  }

  say(text) {
    return this.chat.sendMessage(text);
  }

  get open() {
    return this.chat.getInterrupts();
  }

  /** Gives each open question its answer. */
  async answer(...answers) {
    const asked = this.open;
    asked.forEach((interrupt, i) => answers[i] === "cancel" ? interrupt.cancel() : interrupt.resolveInterrupt(answers[i]));
    await until(() => !this.chat.getInterruptState().resuming && !this.chat.getIsLoading(), "the answers are taken");
  }

  cut() {
    for (const socket of this.sockets) socket.terminate();
  }

  /** Roles and texts, as they are shown. */
  get shown() {
    return this.chat.getMessages().map(({ role, parts }) => `${role}:${parts.filter((p) => p.type === "text").map((p) => p.content).join("|")}`);
  }

  get text() {
    return this.shown.at(-1) ?? "";
  }

  parts(type) {
    return this.chat.getMessages().flatMap(({ parts }) => parts.filter((part) => part.type === type));
  }

  /** Runs that were asked for, as they went over the wire. */
  get inputs() {
    return this.frames.filter((frame) => frame.type === undefined);
  }

  close() {
    this.chat.dispose();
    this.connection.close();
  }
}

/** What a page shows that comes to the thread now. */
async function fresh(page) {
  const { shown } = page;
  const other = await Page.load(page.threadId, { server: 1 }, (p) => p.shown.length > 0);
  assert.deepEqual(other.shown, shown);
  return other;
}

test("chat", async () => {
  const page = new Page(unique("chat"));
  await page.say("/say one two three");
  await page.say("/say four");
  assert.deepEqual(page.shown, ["user:/say one two three", "assistant:one two three", "user:/say four", "assistant:four"]);
  assert.deepEqual(page.inputs.map(({ messages }) => messages.length), [1, 1], "what the thread holds is not said again");
  assert.equal(page.chat.getStatus(), "ready");
  assert.deepEqual(page.errors, []);
  await fresh(page);
});

for (const cuts of [1, 4]) {
  test(`a socket that drops ${cuts} times in mid-message`, async () => {
    const page = new Page(unique("cut"));
    const running = page.say("/slow 300 20");
    for (let i = 1; i <= cuts; i++) {
      await until(() => page.text.length > i * 30, "more text");
      page.cut();
    }
    await running;
    assert.deepEqual(page.shown, ["user:/slow 300 20", `assistant:${numbers(300)}`]);
    assert.equal(page.sockets.length, cuts + 1);
    assert.deepEqual(page.errors, []);
    await fresh(page);
  });
}

test("reload in mid-run", async () => {
  const page = new Page(unique("reload"));
  const running = page.say("/slow 200 20");
  await until(() => page.text.length > 60, "some text");
  const reloaded = await Page.load(page.threadId, { server: 1 }, (p) => p.text.length > 60);
  reloaded.cut();
  await running;
  await until(() => reloaded.text.length >= page.text.length && !reloaded.chat.getIsLoading(), "the run ends");
  assert.deepEqual(reloaded.shown, ["user:/slow 200 20", `assistant:${numbers(200)}`]);
  await reloaded.say("/say on");
  assert.equal(reloaded.text, "assistant:on");
});

test("thoughts", async () => {
  const page = new Page(unique("think"));
  await page.say("/think Well, well");
  assert.deepEqual(page.parts("thinking").map(({ content }) => content), ["Well, well"]);
  const other = await fresh(page);
  assert.deepEqual(other.parts("thinking").map(({ content }) => content), ["Well, well"]);
});

/** The kinds of questions, and what a good answer does. */
const questions = {
  confirm: { command: "/confirm Really?", answers: [{ approved: true }], text: "assistant:Confirmed." },
  form: { command: "/form", answers: [{ quarter: "Q2", year: 2026, revenue: 12.5 }], text: /^assistant:Thank you\. The revenue of Q2 2026 was 12\.5/ },
  tool: { command: (tool) => `/tool ${tool} {"amount":10}`, answers: [{ approved: true, editedArgs: { amount: 7 } }], effects: [{ amount: 7 }] },
  "two parallel": { command: "/parallel 2", answers: [{ approved: true }, { approved: false }], text: /called task_1.*task_2 was declined/ },
};

for (const [kind, { command, answers, text, effects: done }] of Object.entries(questions)) {
  for (const where of ["at once", "after a reload"]) {
    test(`interrupt, ${kind}, answered ${where}`, async () => {
      const tool = unique("pay");
      let page = new Page(unique("ask"));
      await page.say(typeof command === "function" ? command(tool) : command);
      if (where === "after a reload") {
        const { threadId } = page;
        page.close();
        page = await Page.load(threadId, { server: 1 }, (p) => p.open.length > 0);
      }
      assert.deepEqual(page.open.map(({ canResolve }) => canResolve), answers.map(() => true));
      if (kind === "form") assert.ok(page.open[0].responseSchema.properties.quarter);
      await page.answer(...answers);
      assert.deepEqual(page.open, []);
      assert.deepEqual(page.errors, []);
      if (text) assert.match(page.text, new RegExp(text));
      if (done) {
        assert.deepEqual(await effects(tool), done);
        assert.deepEqual(page.parts("tool-call").map(({ state, output }) => [state, output.args]), [["complete", done[0]]]);
      }
      await fresh(page);
    });
  }
}

test("interrupt, tool, declined and cancelled", async () => {
  for (const [answer, says] of [[{ approved: false }, /declined/], ["cancel", /cancelled/]]) {
    const tool = unique("pay");
    const page = new Page(unique("no"));
    await page.say(`/tool ${tool} {"amount":10}`);
    await page.answer(answer);
    assert.match(page.text, says);
    assert.deepEqual(await effects(tool), []);
  }
});

test("interrupt, a refused answer keeps the question", async () => {
  const page = new Page(unique("refused"));
  await page.say("/form");
  await page.answer({ quarter: "Q9", year: 2026, revenue: 1 });
  const [question] = page.open;
  assert.equal(question.error.code, "invalid-payload");
  assert.match(question.error.message, /\/quarter/);
  assert.deepEqual(page.errors.map(({ code }) => code), ["interrupt_payload_invalid"]);
  await page.answer({ quarter: "Q1", year: 2026, revenue: 1 });
  assert.match(page.text, /Thank you/);
});

test("interrupt, answered elsewhere", async () => {
  const page = new Page(unique("elsewhere"));
  await page.say("/confirm Really?");
  const other = await Page.load(page.threadId, { server: 1 }, (p) => p.open.length > 0);
  await other.answer("cancel");
  await until(() => page.open.length === 0, "the question is gone");
  await until(() => page.text === "assistant:Cancelled.", "the answer of the other page");
});

test("interrupt, answered in two live chats at once", async () => {
  const tool = unique("pay");
  const threadId = unique("both");
  const both = [0, 1].map((server) => new Page(threadId, { server, connection: { threadId } }));
  for (const page of both) page.chat.subscribe();
  await both[0].say(`/tool ${tool} {"amount":10}`);
  await until(() => both.every((page) => page.open.length === 1), "both are asked");
  await Promise.all(both.map((page) => page.answer({ approved: true })));
  for (const page of both) await until(() => page.text.startsWith("assistant:I have called"), "the end of the run");
  assert.deepEqual(both[0].shown, both[1].shown);
  assert.deepEqual(both.map(({ errors, open }) => [errors, open]), [[[], []], [[], []]]);
  assert.deepEqual(await effects(tool), [{ amount: 10 }]);
});

test("interrupt, a socket that drops around an answer", async () => {
  const tool = unique("pay");
  const page = new Page(unique("around"));
  await page.say(`/tool ${tool} {"amount":10}`);
  const answering = page.answer({ approved: true });
  page.cut();
  await answering;
  assert.match(page.text, /I have called/);
  assert.deepEqual(await effects(tool), [{ amount: 10 }]);
});

test("interrupt, expiry", async () => {
  const page = new Page(unique("expiry"));
  await page.say("/expire 1");
  const [question] = page.open;
  await until(() => Date.now() > Date.parse(question.expiresAt) + 100, "the deadline");
  await page.answer({ approved: true });
  assert.equal(page.open[0].error.code, "expired");
  await page.answer("cancel");
  assert.equal(page.text, "assistant:Cancelled.");
});

test("client tool", async () => {
  const called = [];
  const tools = [{
    __toolSide: "client", name: "colour", description: "Paints the page",
    execute: async (input) => { called.push(input); return { done: input.to }; },
  }];
  const page = new Page(unique("frontend"), { chat: { tools } });
  await page.say('/frontend colour {"to":"blue"}');
  await until(() => page.text.startsWith("assistant:The frontend answered"), "the agent has the result");
  assert.equal(page.text, 'assistant:The frontend answered colour: {"done":"blue"}');
  assert.deepEqual(called, [{ to: "blue" }]);
  await page.say("/say next");
  await fresh(page);
  assert.deepEqual(page.errors, []);
});

test("stop", async () => {
  const page = new Page(unique("stop"));
  const watcher = new Page(page.threadId, { server: 1, connection: { threadId: page.threadId } });
  watcher.chat.subscribe();
  const running = page.say("/slow 5000 20");
  await until(() => page.text.length > 40, "some text");
  page.chat.stop();
  await running;
  await page.say("/say next");
  assert.equal(page.text, "assistant:next");
  assert.deepEqual(page.errors, []);
  await until(() => watcher.text === "assistant:next", "the watcher sees it");
  const ends = watcher.chunks.filter(({ type }) => type === "RUN_FINISHED").map(({ outcome }) => outcome?.type);
  assert.ok(ends.includes("cancelled"), JSON.stringify(ends));
});

test("stop after a reload", async () => {
  const page = new Page(unique("stop"));
  const running = page.say("/slow 5000 20");
  await until(() => page.text.length > 40, "some text");
  const reloaded = await Page.load(page.threadId, { server: 1 }, (p) => p.chat.getIsLoading() && p.text.length > 40);
  reloaded.chat.stop();
  await running;
  assert.equal(page.chat.getStatus(), "ready");
  await reloaded.say("/say next");
  assert.equal(reloaded.text, "assistant:next");
});

test("a view that goes and comes back, with abort: detach", async () => {
  const page = await Page.load(unique("view"), { connection: { abort: "detach" } }, () => true);
  const running = page.say("/slow 150 20");
  await until(() => page.text.length > 40, "some text");
  page.chat.detach();
  await running;
  page.chat.attach();
  await until(() => page.text.endsWith(" 150 ") && !page.chat.getIsLoading(), "the run ends");
  assert.equal(page.text, `assistant:${numbers(150)}`);
});

test("two live chats on one thread", async () => {
  const threadId = unique("live");
  const a = new Page(threadId, { connection: { threadId } });
  const b = new Page(threadId, { server: 1, connection: { threadId } });
  for (const page of [a, b]) page.chat.subscribe();
  await a.say("/slow 30 10");
  await until(() => b.text === `assistant:${numbers(30)}`, "the other page has the answer");
  await b.say("/say back");
  await until(() => a.text === "assistant:back", "the first page has the answer");
  assert.deepEqual(a.shown, b.shown);
  assert.equal(a.shown.length, 4);
  assert.deepEqual([...a.errors, ...b.errors], []);
});

test("an answer that is asked for again", async () => {
  const page = new Page(unique("again"));
  await page.say("/say one");
  await page.say("/say two");
  await page.chat.reload();
  assert.deepEqual(page.shown, ["user:/say one", "assistant:one", "user:/say two", "assistant:two"]);
  await fresh(page);
  page.chat.setMessagesManually(page.chat.getMessages().slice(0, 2));
  await page.say("/say three");
  assert.deepEqual(page.shown, ["user:/say one", "assistant:one", "user:/say three", "assistant:three"]);
  await fresh(page);
});

test("a failed run, and the next", async () => {
  const page = new Page(unique("fail"));
  await page.say("/fail Too bad");
  assert.equal(page.chat.getStatus(), "error");
  assert.deepEqual(page.errors.map(({ code }) => code), ["agent_error"]);
  await page.say("/say fine");
  assert.equal(page.text, "assistant:fine");
  assert.equal(page.chat.getStatus(), "ready");
});

test("subagents, activities and state", async () => {
  const page = new Page(unique("others"));
  for (const command of ["/delegate Hello there", "/activity", '/state {"a":1}']) await page.say(command);
  assert.ok(page.shown.includes("assistant:Hello there"));
  assert.ok(page.shown.every((line) => line !== "assistant:"), "nothing is an empty bubble");
  for (const type of ["ACTIVITY_SNAPSHOT", "STATE_SNAPSHOT"]) assert.ok(page.chunks.some((chunk) => chunk.type === type), type);
  await fresh(page);
});

test("a picture", async () => {
  const page = new Page(unique("picture"));
  const source = { type: "data", value: "aGk=", mimeType: "image/png" };
  await page.chat.sendMessage({ content: [{ type: "text", content: "/say seen" }, { type: "image", source }] });
  assert.equal(page.text, "assistant:seen");
  const other = await fresh(page);
  assert.deepEqual(other.parts("image").map((part) => part.source), [source]);
});
