// <CopilotKit runtimeUrl>, as published, before gateways that die.

import assert from "node:assert/strict";
import { test as nodeTest } from "node:test";
import { Tab, until } from "../frontends/lane.mjs";
import { a, b, inTurn, kill, left, numbers, restart, sent, someone, target } from "./lane.mjs";

const test = (name, body) => nodeTest(`${target} through CopilotKit: ${name}`, body);

const hooks = {
  composer: '[data-testid="copilot-chat-textarea"]',
  // One button, which stops while it shows a square.
  send: '[data-testid="copilot-send-button"]:not(:has(.lucide-square))',
  stop: '[data-testid="copilot-send-button"]:has(.lucide-square)',
  assistant: '[data-testid="copilot-assistant-message"]',
  user: '[data-testid="copilot-user-message"]',
};
const open = (gateway, parameters, more) => Tab.open("runtime", { ...hooks, ...more }, { runtime: `${gateway}/copilotkit`, all: "1", ...parameters });
const questions = (tab, count) => until(async () => (await tab.at("question").count()) === count, `${count} questions`);

test("text streams, through a reload", async () => {
  const tab = await open(a);
  await tab.say("/slow 60 60");
  await tab.says("5 6 7");
  await tab.reload();
  await tab.says("59 60");
  await tab.rest();
  await tab.holds({ said: [numbers(60)], asked: ["/slow 60 60"] });
});

test("a question outlives a reload and its gateway, and is answered once at another one", async () => {
  const to = someone("ann");
  const tab = await open(a);
  await tab.say(`/send ${to}`);
  await questions(tab, 1);
  await tab.reload();
  await questions(tab, 1);
  await tab.page.close();
  await kill(0);
  try {
    const other = await open(b, { thread: tab.threadId });
    await questions(other, 1);
    assert.equal(await sent(to), 0);
    await other.shot(`upstream-${target}-copilotkit`);
    await other.at("approve").click();
    await other.says(`Sent to ${to}`);
    await other.rest();
    await questions(other, 0);
    assert.equal(await sent(to), 1);
    await other.reload();
    await other.says(`Sent to ${to}`);
    await questions(other, 0);
    await other.say("/say and on");
    await other.says("and on");
  } finally {
    await restart(0);
  }
  assert.equal(await sent(to), 1);
});

test("a question that other tabs answer again, alike and differently, is answered once", async () => {
  const to = someone("twin");
  const tab = await open(a);
  await tab.say(`/send ${to}`);
  await questions(tab, 1);
  const same = await open(b, { thread: tab.threadId });
  const other = await open(b, { thread: tab.threadId }, { harmless: /already answered/ });
  for (const each of [same, other]) await questions(each, 1);
  await tab.at("approve").click();
  await tab.says(`Sent to ${to}`);
  // They follow nothing, and ask still.
  await same.at("approve").click();
  await same.says(`Sent to ${to}`);
  const [refusal] = await Promise.all([other.page.waitForResponse((each) => each.request().postData()?.includes('"resume":[{')), other.at("decline").click()]);
  assert.match(await refusal.text(), /"code":"interrupt_conflict"/);
  await other.reload();
  await other.says(`Sent to ${to}`);
  await questions(other, 0);
  assert.equal(await sent(to), 1);
});

test("a question is declined, another cancelled", async () => {
  for (const answer of ["decline", "cancel"]) {
    const to = someone("no");
    const tab = await open(a);
    await tab.say(`/send ${to}`);
    await questions(tab, 1);
    await tab.at(answer).click();
    await questions(tab, 0);
    await tab.rest();
    await tab.say("/say and on");
    await tab.says("and on");
    assert.equal(await sent(to), 0);
  }
});

test("two questions are answered differently", async () => {
  const [first, second] = [someone("one"), someone("two")];
  const tab = await open(a);
  await tab.say(`/both ${first} ${second}`);
  if (inTurn) {
    await questions(tab, 1);
    const asked = await tab.at("question").getAttribute("data-id");
    await tab.at("approve").click();
    await until(async () => ![null, asked].includes(await tab.at("question").getAttribute("data-id")), "another question");
    await tab.at("decline").click();
  } else {
    await questions(tab, 2);
    const ids = await tab.at("question").evaluateAll((all) => all.map(({ dataset }) => dataset.id));
    for (const [i, answer] of ["approve", "decline"].entries()) await tab.page.locator(`[data-id="${ids[i]}"]`).getByTestId(answer).click();
  }
  await questions(tab, 0);
  await tab.rest();
  await until(async () => (await sent(first)) === 1, "the first mail is sent");
  assert.equal(await sent(second), 0);
});

test("the stop button ends the request", async () => {
  const before = await left();
  const tab = await open(a);
  await tab.say("/slow 600 50");
  await tab.says("29 30");
  await tab.page.locator(hooks.stop).click();
  await tab.rest();
  await until(async () => (await left()) === before + 1, "the target was left");
  await tab.say("/say and on");
  await tab.says("and on");
});
