// examples/assistant-ui: <Decision> of @aguiws/react draws the questions of assistant-ui.

import assert from "node:assert/strict";
import { test } from "node:test";
import { effects, Tab, unique, until } from "./lane.mjs";

const hooks = { composer: ".composer textarea", send: ".composer button", assistant: ".assistant:not([hidden])", user: ".user" };
const open = () => Tab.open("questions", hooks);
const questions = (tab, n) => until(async () => (await tab.at("interrupt").count()) === n, `${n} questions`);

/** Presses a button of the nth question, once it takes a decision. */
async function press(tab, hook, nth = 0) {
  const card = tab.page.locator(".guarded").nth(nth);
  await until(async () => (await card.getAttribute("aria-disabled")) === null, "it takes a decision");
  await card.getByTestId(hook).click();
}

test("examples/assistant-ui: a confirmation, after a reload", async () => {
  const tab = await open();
  await tab.say("/confirm Book the Adlon?");
  await questions(tab, 1);
  await tab.reload();
  await questions(tab, 1);
  await tab.shot("example-1-confirmation");
  await press(tab, "approve");
  await tab.holds({ said: ["Confirmed."], asked: ["/confirm Book the Adlon?"] });
  await questions(tab, 0);
});

test("examples/assistant-ui: a call shows its arguments, and is approved with edits", async () => {
  const tool = unique("pay");
  const tab = await open();
  await tab.say(`/tool ${tool} {"amount":10}`);
  await questions(tab, 1);
  assert.match(await tab.at("interrupt").innerText(), /Amount\s+10/);
  await until(async () => (await tab.page.locator(".assistant pre").count()) === 1, "the call is shown once");
  await tab.shot("example-2-approval");
  await press(tab, "edit");
  await tab.at("edit /amount").fill("7");
  await tab.shot("example-3-edited");
  await press(tab, "approve-edited");
  await tab.says(`I have called ${tool}.`);
  assert.deepEqual(await effects(tool), [{ amount: 7 }]);
  await questions(tab, 0);
});

test("examples/assistant-ui: a form is checked, then sent", async () => {
  const tab = await open();
  await tab.say("/form");
  await questions(tab, 1);
  await tab.at("field-quarter").selectOption({ label: "Q3" });
  await tab.at("field-year").fill("1999");
  await press(tab, "submit-form");
  await until(async () => /at least 2000/.test(await tab.at("interrupt").innerText()), "the form says what is wrong");
  await tab.shot("example-4-refused");
  await tab.at("field-year").fill("2026");
  await tab.at("field-revenue").fill("1.5");
  await press(tab, "submit-form");
  await tab.says('"quarter":"Q3","year":2026,"revenue":1.5');
  await questions(tab, 0);
});

test("examples/assistant-ui: several questions are answered together, and an answer is changed", async () => {
  const tab = await open();
  await tab.say("/parallel 3");
  await questions(tab, 3);
  await press(tab, "approve", 0);
  await press(tab, "approve", 1);
  await press(tab, "change", 1);
  for (const _ of ["asks for a reason", "declines"]) await press(tab, "decline", 1);
  await tab.shot("example-5-several");
  await press(tab, "cancel", 2);
  await tab.says("called task_1");
  await tab.says("task_2 was declined");
  await tab.says("task_3 was cancelled");
  await questions(tab, 0);
});

test("examples/assistant-ui: a run is stopped", async () => {
  const tab = await open();
  await tab.say("/slow 1000 20");
  await tab.says("9 10 11");
  await tab.page.getByRole("button", { name: "Stop", exact: true }).click();
  await tab.rest();
  assert.ok(!(await tab.said()).join().includes("1000"));
  await tab.say("/say hello");
  await tab.says("hello");
});
