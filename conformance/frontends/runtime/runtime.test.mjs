// CopilotKit, as published, with the server under test for its runtime.

import assert from "node:assert/strict";
import { test as nodeTest } from "node:test";
import { effects, numbers, Tab, unique, until } from "../lane.mjs";
import { showing, versionOf } from "../../node/shown.mjs";

const { AGUIWS_CUTTING, AGUIWS_GUARDED, AGUIWS_SERVER, AGUIWS_SUGGESTING, AGUIWS_TOKEN } = process.env;
const runtime = `${AGUIWS_SERVER}/copilotkit`;
const version = versionOf("@copilotkit/react-core", "..");
const named = (name, body) => nodeTest(`@copilotkit/react-core ${version} by runtimeUrl: ${name}`, body);
const test = showing(named, { client: "@copilotkit/react-core", version, way: "`runtimeUrl`", lane: "frontends" }, {
  text: "paths: text streams, and stays after a reload",
  "own tool": "a tool of the page's own is called, and the agent told what it answered",
  question: "paths: a question is answered where it was put",
  "question after reload": "paths: a question outlives reloads, and is answered after them",
  "run after reload": "a page that is reloaded in mid-run goes on with it",
  cut: ["cut off in mid-message, it is told the rest with the next run", "with the next message"],
  stop: "paths: the stop button stops the run on the server",
});
const hooks = {
  composer: '[data-testid="copilot-chat-textarea"]',
  // One button, which stops while it shows a square.
  send: '[data-testid="copilot-send-button"]:not(:has(.lucide-square))',
  stop: '[data-testid="copilot-send-button"]:has(.lucide-square)',
  assistant: '[data-testid="copilot-assistant-message"]',
  user: '[data-testid="copilot-user-message"]',
};

const open = (parameters) => Tab.open("runtime", hooks, { runtime, ...parameters });
const asked = (tab) => tab.at("question").waitFor();
const texts = (list) => list.map((text) => text.trim());
const shows = (tab, said, asked) => until(
  async () => JSON.stringify([texts(await tab.said()), texts(await tab.asked())]) === JSON.stringify([said, asked]),
  `the page shows ${JSON.stringify(said)} for ${JSON.stringify(asked)}`,
);
const answered = (tab) => until(async () => (await tab.at("question").count()) === 0, "the question is gone");
const tools = (tab) => tab.agent((agent) => agent.messages.filter((message) => message.role === "tool").map((message) => message.content));

/** What the server says that has become of the thread. */
async function restated(tab) {
  const answer = await fetch(`${AGUIWS_SERVER}/agui/threads/${tab.threadId}/events`);
  const text = await answer.text();
  return text.split("\n").filter((line) => line.startsWith("data: ")).map((line) => JSON.parse(line.slice("data: ".length)));
}

for (const [transport, parameters] of [["paths", {}], ["the single endpoint", { single: "1" }]]) {
  test(`${transport}: text streams, and stays after a reload`, async () => {
    const tab = await open(parameters);
    await tab.say("/slow 120 40");
    const lengths = new Set();
    await until(async () => lengths.add((await tab.said()).join("").length) && lengths.size > 5, "the text grows");
    await tab.says("119 120");
    await tab.rest();
    await tab.say("/say and again");
    await tab.says("and again");
    await tab.rest();
    await tab.reload();
    await tab.says("and again");
    await shows(tab, [numbers(120), "and again"], ["/slow 120 40", "/say and again"]);
    assert.equal(tab.sockets, 0, "it needs no socket");
  });

  test(`${transport}: a question is answered where it was put`, async () => {
    const tool = unique("pay");
    const tab = await open(parameters);
    await tab.say(`/tool ${tool} {"amount":10}`);
    await asked(tab);
    assert.deepEqual(await effects(tool), []);
    await tab.at("edits").fill('{"amount":7}');
    await tab.at("approve-edited").click();
    await tab.says(`I have called ${tool}.`);
    await tab.rest();
    assert.deepEqual(await effects(tool), [{ amount: 7 }]);
    await answered(tab);
    assert.deepEqual((await tools(tab)).map((content) => JSON.parse(content)), [{ executed: true, args: { amount: 7 } }]);
    await tab.say("/say what next");
    await tab.says("what next");
  });

  test(`${transport}: a question outlives reloads, and is answered after them`, async () => {
    const tool = unique("pay");
    const tab = await open(parameters);
    await tab.say(`/tool ${tool} {"amount":10}`);
    await asked(tab);
    const id = await tab.at("question").getAttribute("data-id");
    for (let i = 0; i < 2; i++) {
      await tab.reload();
      await asked(tab);
      assert.equal(await tab.at("question").getAttribute("data-id"), id);
    }
    await tab.at("approve").click();
    await tab.says(`I have called ${tool}.`);
    await tab.rest();
    assert.deepEqual(await effects(tool), [{ amount: 10 }]);
    assert.deepEqual((await tools(tab)).map((content) => JSON.parse(content)), [{ executed: true, args: { amount: 10 } }]);
    await tab.reload();
    await tab.says(`I have called ${tool}.`);
    await tab.rest();
    assert.equal(await tab.at("question").count(), 0);
    await until(async () => (await tab.asked()).length === 1, "it is asked for once");
  });

  test(`${transport}: the stop button stops the run on the server`, async () => {
    const tab = await open(parameters);
    await tab.say("/slow 2000 25");
    await tab.says("3 4 5");
    await tab.page.locator(hooks.stop).click();
    await tab.rest();
    const end = (await restated(tab)).at(-1);
    assert.deepEqual([end.type, end.outcome?.type], ["RUN_FINISHED", "cancelled"]);
    await tab.say("/say still here");
    await tab.says("still here");
    await tab.reload();
    await tab.says("still here");
  });
}

test("a question is declined, another cancelled", async () => {
  const tool = unique("pay");
  const tab = await open();
  await tab.say(`/tool ${tool} {"amount":10}`);
  await asked(tab);
  await tab.at("decline").click();
  await tab.says(`${tool} was declined`);
  await tab.rest();
  await tab.say(`/tool ${tool} {"amount":11}`);
  await asked(tab);
  await tab.at("cancel").click();
  await tab.says("was cancelled");
  await tab.rest();
  assert.deepEqual(await effects(tool), []);
});

test("a page that is reloaded in mid-run goes on with it", async () => {
  const tab = await open();
  await tab.say("/slow 120 60");
  await tab.says("9 10 11");
  await tab.reload();
  await tab.says("119 120");
  await tab.rest();
  await shows(tab, [numbers(120)], ["/slow 120 60"]);
});

test("cut off in mid-message, it is told the rest with the next run", async () => {
  const tab = await Tab.open("runtime", { ...hooks, harmless: /network error|ERR_INCOMPLETE_CHUNKED_ENCODING|Failed to fetch/i }, { runtime: `${AGUIWS_CUTTING}/copilotkit` });
  await tab.say("/slow 200 60");
  await tab.says("9 10 11");
  await fetch(`${AGUIWS_CUTTING}/cut`, { method: "POST" }).catch(() => {}); // it is cut itself
  await tab.rest();
  const held = (await tab.said()).at(-1).trim();
  assert.ok(!held.includes("200"), "it holds a part");
  await tab.shot("runtime-cut");
  await restated(tab); // somebody else sees the run to its end
  await tab.say("/say what next");
  await tab.says("what next");
  await tab.rest();
  await shows(tab, [numbers(200), "what next"], ["/slow 200 60", "/say what next"]);
  await tab.shot("runtime-healed");
});

test("a run that failed is not shown as an error at every reload", async () => {
  const failing = await Tab.open("runtime", { ...hooks, harmless: /on purpose/ }, { runtime });
  let errors = 0; // of the document that is shown
  failing.page.on("console", (message) => (errors += /on purpose/.test(message.text()) ? 1 : 0));
  failing.page.on("framenavigated", () => (errors = 0));
  await failing.say("/fail on purpose");
  await until(() => errors > 0, "the error is shown");
  await failing.rest();
  assert.equal((await restated(failing)).at(-1).type, "RUN_ERROR");
  // Not its preflight, which has the same address. Waiting for the end of a response has no limit; for the event it has.
  const told = failing.page.waitForEvent("requestfinished", (request) => request.method() === "POST" && request.url().endsWith("/connect"));
  await failing.reload();
  await told;
  await until(async () => (await failing.asked()).length === 1, "the thread is shown");
  await failing.rest();
  assert.equal(errors, 0);
});

test("a tool of the page's own is called, and the agent told what it answered", async () => {
  const tab = await open();
  await tab.say('/frontend pick {"from":2}');
  await tab.says("The frontend answered pick: number 2");
});

test("an answer without a network is lost, and can be given after a reload", async () => {
  const tool = unique("pay");
  const tab = await Tab.open("runtime", { ...hooks, harmless: /ERR_FAILED|Failed to fetch/ }, { runtime });
  await tab.say(`/tool ${tool} {"amount":10}`);
  await asked(tab);
  await tab.page.route("**/copilotkit/**", (route) => route.abort());
  await tab.at("approve").click();
  await answered(tab);
  await tab.page.unroute("**/copilotkit/**");
  await tab.reload();
  await asked(tab);
  await tab.at("approve").click();
  await tab.says(`I have called ${tool}.`);
  assert.deepEqual(await effects(tool), [{ amount: 10 }]);
});

// What CopilotKit says of a refusal, in its many ways.
const guarded = { ...hooks, harmless: /401|credential|Agent default not found/ };
const guard = (token) => Tab.open("runtime", guarded, { runtime: `${AGUIWS_GUARDED}/copilotkit`, token, good: AGUIWS_TOKEN });
const signIn = (tab) => tab.at("sign-in").click(); // it is there once the chat is told of a refusal

test("a page whose token is refused works with a good one", async () => {
  const tab = await guard("a-token-that-nobody-has");
  await signIn(tab);
  await tab.say("/say hello");
  await tab.says("hello");
});

test("an answer whose token has ended is asked again, and carried out once", async () => {
  const tool = unique("pay");
  const tab = await guard(AGUIWS_TOKEN);
  await tab.say(`/tool ${tool} {"amount":10}`);
  await asked(tab);
  await tab.page.evaluate(() => window.setToken("a-token-that-has-ended"));
  await tab.at("approve").click();
  await signIn(tab);
  await asked(tab);
  await tab.at("approve").click();
  await tab.says(`I have called ${tool}.`);
});

test("an EventSource comes back where it stopped", async () => {
  const tab = await open();
  await tab.say("/say hello");
  await tab.says("hello");
  await tab.rest();
  const asked = [];
  tab.page.on("request", (request) => request.url().includes("/events") && asked.push(request.allHeaders()));
  const positions = await tab.page.evaluate(
    (url) =>
      new Promise((resolve) => {
        const seen = [];
        const source = new EventSource(url, { withCredentials: true });
        source.onmessage = ({ lastEventId }) => seen.push(lastEventId);
        setTimeout(resolve, 30_000, seen); // what never ends fails below
        let ends = 0; // the thread is at rest: each time it comes, the stream ends
        source.onerror = () => {
          if (++ends < 2) return;
          source.close();
          resolve(seen);
        };
      }),
    `${AGUIWS_SERVER}/agui/threads/${tab.threadId}/events`,
  );
  assert.equal(positions.length, 4, "it is restated, and nothing comes twice");
  const [first, second] = await Promise.all(asked);
  assert.equal(first["last-event-id"], undefined);
  assert.match(second["last-event-id"], /^\w+:5$/);
});

test("asking for suggestions leaves no thread behind", async () => {
  const asks = [];
  const runs = [];
  const tab = await open({ suggest: "1" });
  tab.page.on("response", (response) => {
    if (response.url().endsWith("/suggest")) asks.push(response.status());
    if (response.url().endsWith("/run")) runs.push(JSON.parse(response.request().postData()).threadId);
  });
  await tab.say("/say hello");
  await tab.says("hello");
  await until(() => asks.length > 0, "suggestions were asked for");
  await tab.rest();
  assert.deepEqual([...new Set(asks)], [200]);
  assert.deepEqual([...new Set(runs)], [tab.threadId]);
});

test("suggestions are shown, and said when they are chosen", async () => {
  const tab = await open({ suggest: "1", runtime: `${AGUIWS_SUGGESTING}/copilotkit` });
  await tab.page.getByText("Count messages").first().click();
  await tab.says("there were");
  await tab.rest();
  await until(async () => (await tab.asked()).length === 1, "it is said once");
});
