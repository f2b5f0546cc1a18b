// assistant-ui, as published, with the agent handed to useAgUiRuntime.

import assert from "node:assert/strict";
import { test } from "node:test";
import { effects, numbers, unique, until } from "./lane.mjs";
import { scenarios } from "./scenarios.mjs";

const { open, asked } = scenarios("assistant", {
  composer: '[data-testid="composer"]',
  send: '[data-testid="send"]',
  stop: '[data-testid="stop"]',
  assistant: '[data-testid="assistant"]',
  user: '[data-testid="user"]',
});

test("assistant: another message puts the question aside", async () => {
  const tool = unique("pay");
  const tab = await open();
  await tab.say(`/tool ${tool} {"amount":10}`);
  await asked(tab);
  await tab.at("steer-away").click();
  await tab.says("something else");
  await tab.rest();
  await tab.unasked();
  assert.deepEqual(await effects(tool), []);
  await tab.reload();
  await tab.says("something else");
  await tab.unasked();
});

test("assistant: a question that has expired can be put aside", async () => {
  const tab = await open();
  await tab.say("/expire 1");
  await asked(tab);
  const deadline = await tab.agent((agent) => Date.parse(agent.pendingInterrupts[0].expiresAt));
  await until(() => Date.now() > deadline + 100, "the deadline");
  await tab.at("steer-away").click();
  await tab.says("something else");
});

test("assistant: the state is shown", async () => {
  const tab = await open();
  await tab.say('/state {"count":1}');
  await tab.says("The state is set.");
  await until(async () => /"count":1/.test(await tab.at("state").textContent()), "the state is shown");
});

test("assistant: a component that goes away leaves the run alone, where abort means detach", async () => {
  const tab = await open({ abort: "detach" });
  await tab.say("/slow 160 40");
  await tab.says("9 10 11");
  await tab.page.evaluate(() => window.unmount());
  await tab.reload();
  await tab.says("159 160");
  await tab.ends(numbers(160));
});
