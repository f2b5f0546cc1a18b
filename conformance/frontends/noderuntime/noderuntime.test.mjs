// CopilotKit's runtime in Node, as published, between its own browser half and the server under test: the runtime's
// agent is AG-UI's HttpAgent, and knows nothing of /copilotkit.

import { ProxiedCopilotRuntimeAgent } from "@copilotkit/core";
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { after, before, test as nodeTest } from "node:test";
import { showing } from "../../node/shown.mjs";
import { POST } from "./route.mjs";
import { listener } from "./runtime.mjs";

const PATIENCE_MS = 60_000;
const POLL_MS = 10;
const { AGUIWS_SERVER, AGUIWS_EFFECTS, AGUIWS_TOKEN } = process.env;
const headers = { Authorization: `Bearer ${AGUIWS_TOKEN}` };
const { devDependencies: at } = JSON.parse(await readFile("package.json", "utf8"));
const packages = `@copilotkit/runtime ${at["@copilotkit/runtime"]} with @ag-ui/client ${at["@ag-ui/client"]}`;

const test = showing(nodeTest, { client: "@copilotkit/runtime", version: at["@copilotkit/runtime"], way: "its `HttpAgent`", lane: "frontends" }, {
  text: `${packages}: text streams, and the conversation goes on`,
  question: `${packages}: a question is answered, and carried out once as edited`,
  "several questions": `${packages}: two questions are answered at once, a third is declined`,
  "question after reload": `${packages}: a page that is reloaded is asked again, and answers`,
  stop: `${packages}: the stop button stops the run on the server, and the next message is answered`,
});

let runtimeUrl;
const http = createServer(listener);

before(async () => {
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  runtimeUrl = `http://127.0.0.1:${http.address().port}/runtime`;
});
after(() => {
  http.closeAllConnections();
  http.close();
});

/** What a page of CopilotKit holds of its runtime's agent. The runtime hands its token on. */
class Page {
  constructor(threadId = randomUUID(), token = headers, address = runtimeUrl) {
    this.threadId = threadId;
    this.agent = new ProxiedCopilotRuntimeAgent({ runtimeUrl: address, agentId: "default", transport: "rest", threadId, headers: token });
  }

  say(text) {
    this.agent.addMessage({ id: randomUUID(), role: "user", content: text });
    return this.agent.runAgent();
  }

  answer(payload) {
    return this.agent.runAgent({ resume: this.agent.pendingInterrupts.map(({ id }) => ({ interruptId: id, status: "resolved", payload })) });
  }

  get said() {
    return this.agent.messages.filter(({ role, content }) => role === "assistant" && content).map(({ content }) => content.trim());
  }
}

async function until(holds, what) {
  for (const deadline = Date.now() + PATIENCE_MS; !(await holds()); ) {
    if (Date.now() > deadline) throw new Error(`never: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** What has really happened to a tool of this name. */
async function effects(tool) {
  const text = await readFile(AGUIWS_EFFECTS, "utf8").catch(() => "");
  const lines = text.split("\n").filter(Boolean).map((line) => JSON.parse(line));
  return lines.filter((line) => line.tool === tool).map((line) => line.args);
}

/** The events of the thread's log, which is at rest. */
async function logged(threadId) {
  const read = async (query) => (await (await fetch(`${AGUIWS_SERVER}/agui/threads/${threadId}/events${query}`, { headers })).text()).split("\n");
  const at = (await read("")).findLast((line) => line.startsWith("id: ")).slice("id: ".length);
  const lines = await read(`?after=${at.slice(0, at.lastIndexOf(":"))}:0`);
  return lines.filter((line) => line.startsWith("data: ")).map((line) => JSON.parse(line.slice("data: ".length)));
}

test(`${packages}: text streams, and the conversation goes on`, async () => {
  const page = new Page();
  const lengths = new Set();
  page.agent.subscribe({ onTextMessageContentEvent: ({ textMessageBuffer }) => void lengths.add(textMessageBuffer.length) });
  await page.say("/slow 40 5");
  assert.ok(lengths.size > 5, "the text grows");
  await page.say("/say and again");
  assert.deepEqual(page.said, [Array.from({ length: 40 }, (_, i) => i + 1).join(" "), "and again"]);
});

test(`${packages}: a question is answered, and carried out once as edited`, async () => {
  const page = new Page();
  const tool = `pay_${randomUUID().slice(0, 8)}`;
  await page.say(`/tool ${tool} {"amount":10}`);
  assert.deepEqual(page.agent.pendingInterrupts.map(({ reason }) => reason), ["tool_call"]);
  assert.deepEqual(await effects(tool), []);
  await page.answer({ approved: true, editedArgs: { amount: 7 } });
  assert.deepEqual(page.agent.pendingInterrupts, []);
  assert.deepEqual(await effects(tool), [{ amount: 7 }]);
  assert.deepEqual(page.said, [`I have called ${tool}.`]);
});

test(`${packages}: two questions are answered at once, a third is declined`, async () => {
  const page = new Page();
  await page.say("/parallel 2");
  assert.equal(page.agent.pendingInterrupts.length, 2);
  await page.answer({ approved: true });
  assert.match(page.said.at(-1), /called task_1.*called task_2/s);
  const tool = `pay_${randomUUID().slice(0, 8)}`;
  await page.say(`/tool ${tool} {}`);
  await page.answer({ approved: false });
  assert.match(page.said.at(-1), /was declined/);
  assert.deepEqual(await effects(tool), []);
});

test(`${packages}: a page that is reloaded is asked again, and answers`, async () => {
  const tool = `pay_${randomUUID().slice(0, 8)}`;
  const before = new Page();
  await before.say(`/tool ${tool} {"amount":10}`);
  const page = new Page(before.threadId);
  await page.agent.connectAgent();
  assert.equal(page.agent.pendingInterrupts.length, 1);
  await page.answer({ approved: true });
  assert.deepEqual(await effects(tool), [{ amount: 10 }]);
});

test(`${packages}: a route of Next.js asks after a reload, and carries the answer out once`, async (t) => {
  // Next.js calls the route with a Request, and so does this.
  const site = "https://site.example";
  const { fetch } = globalThis;
  t.mock.method(globalThis, "fetch", (to, init) => (String(to).startsWith(site) ? POST(new Request(to, init)) : fetch(to, init)));
  const tool = `pay_${randomUUID().slice(0, 8)}`;
  const before = new Page(undefined, headers, `${site}/api/copilotkit`);
  await before.say(`/tool ${tool} {"amount":10}`);
  const page = new Page(before.threadId, headers, `${site}/api/copilotkit`);
  await page.agent.connectAgent();
  assert.equal(page.agent.pendingInterrupts.length, 1);
  await page.answer({ approved: true });
  assert.deepEqual(await effects(tool), [{ amount: 10 }]);
});

// The runtime stops its agent, which closes the connection: what stops the run is that nobody is there any more.
test(`${packages}: the stop button stops the run on the server, and the next message is answered`, async () => {
  const page = new Page();
  const run = page.say("/slow 2000 25").catch(() => {});
  await until(() => /3 4 5/.test(page.said.at(-1) ?? ""), "the text grows");
  page.agent.abortRun();
  await run;
  // By itself it would go on for 50 seconds.
  const late = new Promise((_, reject) => setTimeout(reject, 20_000, new Error("the next message waits for the run")).unref());
  await Promise.race([page.say("/say still here"), late]);
  assert.equal(page.said.at(-1), "still here");
  const ends = (await logged(page.threadId)).filter(({ type }) => type === "RUN_FINISHED");
  assert.deepEqual(ends.map(({ outcome }) => outcome?.type), ["cancelled", "success"]);
});

test(`${packages}: a page without a token is refused`, async () => {
  const page = new Page(undefined, {});
  const failures = [];
  page.agent.subscribe({ onRunErrorEvent: ({ event }) => void failures.push(event.message), onRunFailed: ({ error }) => void failures.push(error.message) });
  await page.say("/say hello").catch(() => {});
  assert.match(failures.join("; "), /needs a bearer credential/);
  assert.deepEqual(page.said, []);
});
