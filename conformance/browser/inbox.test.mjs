// Open questions of all threads in one place.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ANN, guarded, person, Tab, until } from "./lane.mjs";

/** A chat of Ann's. */
async function chat(context) {
  const tab = await Tab.at(context, `${guarded}/?thread=${crypto.randomUUID()}`);
  await signIn(tab);
  await tab.connected();
  tab.threadId = new URL(tab.page.url()).searchParams.get("thread");
  return tab;
}

async function inbox(context) {
  const tab = await Tab.at(context, `${guarded}/inbox`);
  await signIn(tab);
  return tab;
}

async function signIn(tab) {
  tab.serverMayRefuse = true;
  await tab.at("sign-in").waitFor();
  await tab.fill("token", ANN);
  await tab.page.keyboard.press("Enter");
}

const itemOf = (tab, chat) => tab.page.locator(`[data-testid="inbox-item"][data-thread-id="${chat.threadId}"]`);

test("questions come, are filtered and are answered where all threads' are", async () => {
  const context = await person();
  const open = await inbox(context);
  await open.at("inbox-empty").waitFor();
  const tool = await chat(context);
  await tool.say('/tool send {"to":"ada"}');
  await tool.asked("tool_call");
  const form = await chat(context);
  await form.say("/form");
  await form.asked("input_required");
  await open.front();
  await itemOf(open, tool).waitFor();
  await itemOf(open, form).waitFor();
  assert.match(await itemOf(open, tool).textContent(), /"to": "ada"/);
  await open.shot("40-inbox");
  await open.at("inbox-reason").selectOption("input_required");
  await until(async () => (await itemOf(open, tool).count()) === 0 && (await itemOf(open, form).count()) === 1, "only forms are shown");
  await open.at("inbox-reason").selectOption("");
  await itemOf(open, tool).getByTestId("approve").click();
  await until(async () => (await itemOf(open, tool).count()) === 0, "what is answered is gone");
  assert.match(await open.at("inbox-said").textContent(), /goes on/);
  await tool.says("I have called send.");
  await itemOf(open, form).getByTestId("submit-form").click();
  await until(async () => (await itemOf(open, form).getByRole("alert").count()) > 0, "an answer is checked before it is sent");
  await itemOf(open, form).getByTestId("field-quarter").selectOption({ label: "Q2" });
  await itemOf(open, form).getByTestId("field-year").fill("2026");
  await itemOf(open, form).getByTestId("field-revenue").fill("1.5");
  await itemOf(open, form).getByTestId("submit-form").click();
  await until(async () => (await itemOf(open, form).count()) === 0, "the form is answered");
  await form.says("You entered");
});

test("partial answers are drafts, seen by everybody, and taken back", async () => {
  const context = await person();
  const asking = await chat(context);
  await asking.say("/parallel 3");
  await asking.asked("tool_call", 3);
  const [one, other] = [await inbox(context), await inbox(context)];
  const cards = (tab) => itemOf(tab, asking).getByTestId("interrupt");
  const progress = async (tab, words) => {
    await tab.front();
    await until(async () => (await itemOf(tab, asking).getByTestId("inbox-progress").textContent()) === words, words);
  };
  await one.front();
  await cards(one).nth(0).getByTestId("approve").click();
  await progress(one, "1 of 3 answered");
  await cards(one).nth(1).getByTestId("decline").click();
  await progress(one, "2 of 3 answered");
  await one.shot("41-drafts");
  await progress(other, "2 of 3 answered");
  assert.equal(await cards(other).nth(1).getByTestId("decision").textContent(), "Declined");
  await cards(other).nth(1).getByTestId("change").click();
  await progress(other, "1 of 3 answered");
  await cards(other).nth(1).getByTestId("cancel").click();
  await progress(other, "2 of 3 answered");
  await cards(other).nth(2).getByTestId("approve").click();
  await until(async () => (await itemOf(other, asking).count()) === 0, "the thread goes on");
  await asking.says("I have called task_3.");
});
