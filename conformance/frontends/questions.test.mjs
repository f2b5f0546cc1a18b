// examples/assistant-ui: the questions as an application of assistant-ui asks them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { effects, Tab, unique, until } from "./lane.mjs";

const hooks = { composer: ".composer textarea", send: ".composer button", assistant: ".assistant:not([hidden])", user: ".user" };
const open = () => Tab.open("questions", hooks);
const question = (tab, i = 0) => tab.page.locator(".question").nth(i);
const questions = (tab, n) => until(async () => (await tab.page.locator(".question").count()) === n, `${n} questions`);
const press = (where, name) => where.getByRole("button", { name, exact: true }).click();

test("examples/assistant-ui: a confirmation, after a reload", async () => {
  const tab = await open();
  await tab.say("/confirm Book the Adlon?");
  await questions(tab, 1);
  await tab.reload();
  await questions(tab, 1);
  await tab.shot("example-1-confirmation");
  await press(question(tab), "Yes");
  await tab.holds({ said: ["Confirmed."], asked: ["/confirm Book the Adlon?"] });
  await questions(tab, 0);
});

test("examples/assistant-ui: a call is approved with edits", async () => {
  const tool = unique("pay");
  const tab = await open();
  await tab.say(`/tool ${tool} {"amount":10}`);
  await questions(tab, 1);
  await tab.shot("example-2-approval");
  await press(question(tab), "Edit");
  await question(tab).getByLabel("JSON").fill('{"amount":');
  assert.ok(await question(tab).getByRole("button", { name: "Approve as edited" }).isDisabled());
  await question(tab).getByLabel("JSON").fill('{"amount":7}');
  await tab.shot("example-3-edited");
  await press(question(tab), "Approve as edited");
  await tab.says(`I have called ${tool}.`);
  assert.deepEqual(await effects(tool), [{ amount: 7 }]);
  await questions(tab, 0);
});

test("examples/assistant-ui: a form that is refused is asked again, as it was filled in, and then taken", async () => {
  const tab = await open();
  await tab.say("/form");
  await questions(tab, 1);
  await question(tab).getByLabel("Quarter").selectOption("Q3");
  await question(tab).getByLabel("Year").fill("1999");
  await question(tab).getByLabel("Revenue").fill("1.5");
  await press(question(tab), "Send");
  await tab.page.locator(".questions > [role=alert]").waitFor();
  await questions(tab, 1);
  assert.match(await tab.page.locator(".questions > [role=alert]").innerText(), /2000/);
  assert.equal(await question(tab).getByLabel("Year").inputValue(), "1999");
  await tab.shot("example-4-refused");
  await question(tab).getByLabel("Year").fill("2026");
  await press(question(tab), "Send");
  await tab.says('You entered {"quarter":"Q3","year":2026,"revenue":1.5}');
  await questions(tab, 0);
  assert.equal(await tab.page.locator(".questions > [role=alert]").count(), 0);
});

test("examples/assistant-ui: several questions are answered together, and an answer is changed", async () => {
  const tab = await open();
  await tab.say("/parallel 3");
  await questions(tab, 3);
  await press(question(tab, 0), "Approve");
  await press(question(tab, 1), "Approve");
  await press(question(tab, 1), "Change");
  await press(question(tab, 1), "Decline");
  await tab.shot("example-5-several");
  await press(question(tab, 2), "Cancel");
  await tab.says("called task_1");
  await tab.says("task_2 was declined");
  await tab.says("task_3 was cancelled");
  await questions(tab, 0);
});

test("examples/assistant-ui: a run is stopped", async () => {
  const tab = await open();
  await tab.say("/slow 1000 20");
  await tab.says("9 10 11");
  await press(tab.page, "Stop");
  await tab.rest();
  assert.ok(!(await tab.said()).join().includes("1000"));
  await tab.say("/say hello");
  await tab.says("hello");
});
