// What every frontend must be able to do with an agent over WebSockets. A frontend differs in where it shows things.

import assert from "node:assert/strict";
import { test as anyTest } from "node:test";
import { showing } from "../node/shown.mjs";
import { effects, numbers, Tab, unique, until, withoutNetwork } from "./lane.mjs";

/** How long the network is gone. */
const GONE_MS = 5_000;

/** `frontend` is its name and version; its page is that of the name, or the one that `hooks` says. */
export function scenarios(frontend, hooks) {
  const test = showing(anyTest, { ...hooks.row, lane: "frontends" }, {
    text: `${frontend}: text streams, and stays after a reload`,
    "own tool": `${frontend}: a tool of the page's own is called, and its result answered`,
    question: `${frontend}: a call is approved with edits, and carried out once as edited`,
    "several questions": `${frontend}: several questions are answered together`,
    "question after reload": `${frontend}: a question outlives a reload`,
    cut: `${frontend}: the network is gone for five seconds in mid-stream, and nothing is lost`,
    stop: `${frontend}: a run is stopped, and the chat goes on`,
    "run after reload": hooks.reloaded,
  });
  const shots = hooks.shots ?? frontend;
  const open = (parameters) => Tab.open(hooks.page ?? frontend, hooks, parameters);
  const last = async (tab) => ((await tab.said()).at(-1) ?? "").trim();
  const asked = (tab) => tab.at("question").waitFor();
  const toolMessages = (tab) => tab.agent((agent) => agent.messages.filter((message) => message.role === "tool"));

  const calls = (tab) => tab.agent((agent) => agent.messages.flatMap((message) => message.toolCalls ?? []));

  test(`${frontend}: text streams, and stays after a reload`, async () => {
    const tab = await open();
    await tab.say("/slow 120 40");
    const lengths = new Set();
    await until(async () => lengths.add((await last(tab)).length) && lengths.size > 5, "the text grows");
    await tab.says("119 120");
    await tab.rest();
    await tab.ends(numbers(120));
    await tab.say("/say and again");
    await tab.says("and again");
    assert.equal(tab.sockets, 1, "one socket is enough");
    await tab.shot(`${shots}-1-streamed`);
    await tab.reload();
    await tab.says("and again");
    await tab.holds({ said: [numbers(120), "and again"], asked: ["/slow 120 40", "/say and again"] });
  });

  test(`${frontend}: a call is approved with edits, and carried out once as edited`, async () => {
    const tool = unique("pay");
    const tab = await open();
    await tab.say(`/tool ${tool} {"amount":10}`);
    await asked(tab);
    await tab.shot(`${shots}-2-asked`);
    assert.deepEqual(await effects(tool), []);
    await tab.at("edits").fill('{"amount":7}');
    await tab.at("approve-edited").click();
    await tab.says(`I have called ${tool}.`);
    await tab.rest();
    assert.deepEqual(await effects(tool), [{ amount: 7 }]);
    await tab.unasked();
    const [result, ...more] = await toolMessages(tab);
    assert.deepEqual(JSON.parse(result.content), { executed: true, args: { amount: 7 } });
    assert.deepEqual(more, [], "the call has one result");
    await tab.shot(`${shots}-3-approved`);
    await tab.say("/say what next");
    await tab.says("what next");
    assert.equal((await calls(tab)).length, 1, "the call is in the thread once");
  });

  test(`${frontend}: a question outlives a reload`, async () => {
    const tool = unique("pay");
    const tab = await open();
    await tab.say(`/tool ${tool} {"amount":10}`);
    await asked(tab);
    const id = await tab.at("question").getAttribute("data-id");
    for (let i = 0; i < 2; i++) {
      await tab.reload();
      await asked(tab);
      assert.equal(await tab.at("question").getAttribute("data-id"), id);
    }
    await tab.shot(`${shots}-4-reloaded`);
    await tab.at("approve").click();
    await tab.says(`I have called ${tool}.`);
    await tab.rest();
    assert.deepEqual(await effects(tool), [{ amount: 10 }]);
    assert.equal((await toolMessages(tab)).length, 1);
    await tab.holds({ asked: [`/tool ${tool} {"amount":10}`] });
  });

  test(`${frontend}: a call is declined, another cancelled`, async () => {
    const tool = unique("pay");
    const tab = await open();
    await tab.say(`/tool ${tool} {"amount":10}`);
    await asked(tab);
    await tab.at("decline").click();
    await tab.says("was declined");
    await tab.rest();
    await tab.say(`/tool ${tool} {"amount":11}`);
    await asked(tab);
    await tab.at("cancel").click();
    await tab.says("was cancelled");
    await tab.rest();
    assert.deepEqual(await effects(tool), []);
  });

  test(`${frontend}: the network is gone for five seconds in mid-stream, and nothing is lost`, async () => {
    const tab = await open();
    await tab.agent((agent) => {
      agent.seen = [];
      agent.subscribe({
        onEvent: ({ event }) => void agent.seen.push(event.type),
        onRunFailed: ({ error }) => void agent.seen.push(String(error)),
      });
    });
    await tab.say("/slow 160 40");
    await tab.says("9 10 11");
    await withoutNetwork(GONE_MS, async () => {
      await until(async () => (await tab.agent((agent) => agent.status.connection)) === "reconnecting", "the page notices");
      const held = () => tab.agent((agent) => agent.messages.at(-1).content.trim());
      // A mark behind the text says that it is not whole yet.
      await until(async () => (await last(tab)).startsWith(await held()), "what has come is shown");
      const before = await held();
      await tab.shot(`${shots}-5-without-network`);
      return async () => assert.equal(await held(), before, "nothing comes without a network");
    });
    await tab.says("159 160");
    await tab.rest();
    await tab.ends(numbers(160));
    const seen = await tab.agent((agent) => agent.seen);
    const count = (type) => seen.filter((one) => one === type).length;
    assert.deepEqual([count("RUN_STARTED"), count("TEXT_MESSAGE_START"), count("RUN_FINISHED")], [1, 1, 1]);
    assert.equal(count("TEXT_MESSAGE_CONTENT"), 160, "each delta came once");
    assert.deepEqual(seen.filter((one) => !/^[A-Z_]+$/.test(one)), [], "the run did not fail");
    assert.ok(tab.sockets > 1);
    await tab.shot(`${shots}-6-network-back`);
  });

  test(`${frontend}: an answer that is given without a network is carried out once`, async () => {
    const tool = unique("pay");
    const tab = await open();
    await tab.say(`/tool ${tool} {"amount":10}`);
    await asked(tab);
    await withoutNetwork(1_000, async () => {
      await until(async () => (await tab.agent((agent) => agent.connection.state)) !== "connected", "the page notices");
      await tab.at("approve").click();
    });
    await tab.says(`I have called ${tool}.`);
    await tab.rest();
    assert.deepEqual(await effects(tool), [{ amount: 10 }]);
    await tab.say("/say what next");
    await tab.says("what next");
  });

  test(`${frontend}: a run is stopped, and the chat goes on`, async () => {
    const tab = await open();
    await tab.say("/slow 1000 20");
    await tab.says("9 10 11");
    await tab.page.locator(hooks.stop).click();
    await tab.rest();
    const text = await last(tab);
    assert.ok(text.startsWith(numbers(11)) && !text.includes("1000"), text);
    await tab.say("/say hello");
    await tab.says("hello");
    await tab.reload();
    await tab.says("hello");
    await until(async () => (await tab.said()).length === 2, "what was said is shown once");
  });

  test(`${frontend}: several questions are answered together`, async () => {
    const tab = await open();
    await tab.say("/parallel 3");
    await until(async () => (await tab.at("question").count()) === 3, "three questions");
    await tab.shot(`${shots}-7-parallel`);
    const ids = await tab.agent((agent) => agent.pendingInterrupts.map(({ id }) => id));
    for (const [i, answer] of ["approve", "decline", "cancel"].entries()) {
      await tab.page.locator(`[data-id="${ids[i]}"]`).getByTestId(answer).click();
    }
    await tab.says("called task_1");
    await tab.rest();
    await tab.ends(/called task_1.*task_2 was declined.*task_3 was cancelled/);
    await tab.say("/say what next");
    await tab.says("what next");
    assert.equal((await calls(tab)).length, 3, "the calls are in the thread once each");
    assert.equal((await toolMessages(tab)).length, 2);
  });

  test(`${frontend}: a tool of the page's own is called, and its result answered`, async () => {
    const tab = await open();
    await tab.say("/frontend where {}");
    await tab.says("in a browser");
    await tab.rest();
    await tab.say("/say what next");
    await tab.says("what next");
    assert.equal((await calls(tab)).length, 1);
    assert.equal((await toolMessages(tab)).length, 1);
    await tab.holds({ asked: ["/frontend where {}", "/say what next"] });
  });

  return { open, last, asked, test };
}
