// The stock ChatClient of @tanstack/ai-client, on the two connections that it comes with.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer, connect } from "node:net";
import { after } from "node:test";
import { canonicalInterruptJson, digestInterruptJson, toolDefinition } from "@tanstack/ai/client";
import { ChatClient, fetchServerSentEvents, webSocket } from "@tanstack/ai-client";
import WebSocket from "ws";
import { effects, numbers, test, unique, until, urls } from "./lane.mjs";
import { showing } from "./shown.mjs";

const { version } = JSON.parse(await readFile(new URL("./node_modules/@tanstack/ai-client/package.json", import.meta.url)));

/** A network in front of the servers, each connection leading to the next of them, which can be cut. */
class Network {
  streams = new Set();
  /** How many connections there were. */
  count = 0;

  constructor() {
    this.listener = createServer((near) => {
      const { hostname, port } = new URL(urls[this.count++ % urls.length]);
      const far = connect(port, hostname);
      for (const [from, to] of [[near, far], [far, near]]) {
        this.streams.add(from);
        from.on("error", () => {});
        from.on("close", () => {
          this.streams.delete(from);
          to.destroy();
        });
        from.pipe(to);
      }
    });
  }

  async listen() {
    await new Promise((resolve) => this.listener.listen(0, "127.0.0.1", resolve));
    this.port = this.listener.address().port;
    return this;
  }

  cut() {
    for (const stream of this.streams) stream.destroy();
  }
}

const network = await new Network().listen();
after(() => {
  network.cut();
  network.listener.close();
});

/** A browser tab; how says which connection it has. */
class Page {
  errors = [];

  constructor(how, options) {
    this.client = new ChatClient({ connection: how(network.port), threadId: unique("tanstack"), onError: (error) => void this.errors.push(error), ...options });
  }

  /** Sends, and waits for the run's end. */
  async say(text, options) {
    await this.client.sendMessage(text, undefined, options);
    assert.deepEqual(this.errors, []);
  }

  get text() {
    const last = this.client.getMessages().findLast((message) => message.role === "assistant");
    return last?.parts.filter((part) => part.type === "text").map((part) => part.content).join("") ?? "";
  }

  /** Sends what is answered by n interrupts, and returns them. */
  async asked(text, n = 1) {
    await this.say(text);
    const interrupts = () => this.client.getInterrupts();
    await until(() => interrupts().length === n && interrupts().every((interrupt) => interrupt.canResolve), "it can be answered");
    return interrupts();
  }

  async answered() {
    await until(() => this.client.getInterrupts().length === 0 && !this.client.getIsLoading(), "the answer is taken");
    assert.deepEqual(this.errors, []);
  }
}

const connections = {
  fetchServerSentEvents: (port) => fetchServerSentEvents(`http://127.0.0.1:${port}/agui`, { reconnect: { delayMs: 10 } }),
  webSocket: (port) => {
    class Paged extends WebSocket {
      constructor(url, protocols) {
        super(url, protocols, { origin: `http://127.0.0.1:${port}` });
      }
    }
    return webSocket(`ws://127.0.0.1:${port}/agui/ws`, { WebSocketImpl: Paged, reconnect: { delayMs: 10 } });
  },
};

for (const [name, how] of Object.entries(connections)) {
  const named = (what, body) => test(`@tanstack/ai-client ${version}, ${name}: ${what}`, body);
  const feature = showing(named, { client: "@tanstack/ai-client", version, way: `\`${name}\``, lane: "node" }, {
    text: "chat",
    "own tool": ["a tool of the page's own is called, and the page hands over its result", "with `addToolResult`"],
    question: "a tool call is approved, with edits, and declined",
    "several questions": "two parallel interrupts are answered differently",
    cut: "cuts in mid-message are survived, with nothing lost or doubled",
    stop: "stop stops the run, and the next message is answered at once",
  });

  feature("chat", async () => {
    const page = new Page(how);
    await page.say("/slow 20 5");
    assert.equal(page.text.trim(), numbers(20).trim());
  });

  feature("several turns", async () => {
    const page = new Page(how);
    for (const word of ["one", "two", "three"]) {
      await page.say(`/say ${word}`);
      assert.equal(page.text, word);
    }
    assert.equal(page.client.getMessages().length, 6);
  });

  feature("cuts in mid-message are survived, with nothing lost or doubled", async () => {
    const page = new Page(how);
    const before = network.count;
    const saying = page.say("/slow 300 10");
    for (const seen of ["3 4 5 ", "50 ", "120 "]) {
      await until(() => page.text.includes(seen), "it goes on");
      network.cut();
    }
    await saying;
    assert.ok(network.count - before >= 2, "it came back");
    assert.equal(page.text.trim(), numbers(300).trim());
    await page.say("/say and on");
    assert.equal(page.text, "and on");
  });

  feature("a confirmation is answered", async () => {
    const page = new Page(how);
    const [interrupt] = await page.asked("/confirm Really?");
    assert.equal(interrupt.message, "Really?");
    interrupt.resolveInterrupt({ approved: true });
    await page.answered();
    assert.equal(page.text, "Confirmed.");
  });

  feature("a confirmation is cancelled", async () => {
    const page = new Page(how);
    const [interrupt] = await page.asked("/confirm Really?");
    interrupt.cancel();
    await page.answered();
    assert.equal(page.text, "Cancelled.");
    await page.say("/say and on");
    assert.equal(page.text, "and on");
  });

  feature("a form is filled in", async () => {
    const page = new Page(how);
    const [interrupt] = await page.asked("/form");
    assert.ok(interrupt.responseSchema);
    interrupt.resolveInterrupt({ quarter: "Q2", year: 2026, revenue: 12.5 });
    await page.answered();
    assert.deepEqual(JSON.parse(/\{.*\}/.exec(page.text)[0]), { quarter: "Q2", year: 2026, revenue: 12.5 });
  });

  feature("a tool call is approved, with edits, and declined", async () => {
    for (const [answer, done] of [
      [{ approved: true }, [{ amount: 10 }]],
      [{ approved: true, editedArgs: { amount: 7 } }, [{ amount: 7 }]],
      [{ approved: false }, []],
    ]) {
      const page = new Page(how);
      const tool = unique("pay");
      const [interrupt] = await page.asked(`/tool ${tool} {"amount":10}`);
      assert.deepEqual(await effects(tool), []);
      interrupt.resolveInterrupt(answer);
      await page.answered();
      assert.deepEqual(await effects(tool), done);
    }
  });

  feature("two parallel interrupts are answered differently", async () => {
    const page = new Page(how);
    const [first, second] = await page.asked("/parallel 2", 2);
    first.resolveInterrupt({ approved: true });
    second.resolveInterrupt({ approved: false });
    await page.answered();
    assert.match(page.text, /called task_1.*task_2 was declined/);
  });

  feature("a tool of the page's own is called, and the page hands over its result", async () => {
    const tool = toolDefinition({ name: "pick", description: "Picks.", inputSchema: { type: "object", properties: { from: { type: "number" } } } }).client();
    const page = new Page(how, { tools: [tool] });
    await page.say('/frontend pick {"from":3}');
    const call = page.client.getMessages().at(-1).parts.find((part) => part.type === "tool-call");
    assert.deepEqual([call.name, call.input], ["pick", { from: 3 }]);
    await page.client.addToolResult({ toolCallId: call.id, tool: "pick", output: "two" });
    await until(() => page.text === "The frontend answered pick: two", "it is answered");
    assert.deepEqual(page.errors, []);
  });

  feature("stop stops the run, and the next message is answered at once", async () => {
    const page = new Page(how);
    const saying = page.say("/slow 5000 5");
    await until(() => page.text.includes("3 4 5"), "it runs");
    page.client.stop();
    await saying;
    assert.ok(!page.text.includes(" 5000"));
    await page.say("/say next");
    assert.equal(page.text, "next");
    assert.equal(page.client.getMessages().length, 4);
  });

  feature("a message takes the place of one that is answered", async () => {
    const page = new Page(how);
    const first = page.client.sendMessage("/slow 5000 5");
    await until(() => page.text.includes("3 4 5"), "it runs");
    await page.say("/say instead", { whenBusy: "interrupt" });
    await first;
    assert.equal(page.text, "instead");
  });
}

test(`@tanstack/ai-client ${version}: hashes of schemas are those that the server stamps`, async () => {
  const known = JSON.parse(await readFile(new URL("../../server/internal/tanstack/testdata/hashes.json", import.meta.url)));
  for (const { schema, hash } of known) assert.equal(digestInterruptJson(canonicalInterruptJson(JSON.parse(schema))), hash, schema);
});
