// Open questions of all threads in one place.

import assert from "node:assert/strict";
import { guarded, person, signIn, Tab, test, until } from "./lane.mjs";

/** A chat of Ann's. */
const chat = (context) => chatAt(context, crypto.randomUUID());

async function chatAt(context, threadId) {
  const tab = await Tab.at(context, `${guarded}/?thread=${threadId}`, threadId, { serverMayRefuse: true });
  await signIn(tab);
  await tab.connected();
  return tab;
}

async function inbox(context) {
  const tab = await Tab.at(context, `${guarded}/inbox`, undefined, { serverMayRefuse: true });
  await signIn(tab);
  return tab;
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
  await until(() => open.page.evaluate(() => document.activeElement?.tagName === "H2"), "the focus is at the head of what is left");
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

test("drafts of the inbox show in the chat, and those of the chat in the inbox", async () => {
  const context = await person();
  const asking = await chat(context);
  await asking.say("/parallel 3");
  await asking.asked("tool_call", 3);
  const boss = await inbox(context);
  const inInbox = itemOf(boss, asking).getByTestId("interrupt");
  const inChat = asking.at("interrupt");
  const progress = async (words) => {
    await boss.front();
    await until(async () => (await itemOf(boss, asking).getByTestId("inbox-progress").textContent()) === words, `${words} in the inbox`);
    await asking.front();
    await until(async () => (await asking.at("answer-progress").textContent()) === words, `${words} in the chat`);
  };
  await boss.front();
  await inInbox.nth(0).getByTestId("approve").click();
  await progress("1 of 3 answered");
  assert.equal(await inChat.nth(0).getByTestId("decision").textContent(), "Approved");
  await inChat.nth(1).getByTestId("field-reason").fill("too dear");
  await inChat.nth(1).getByTestId("decline").click();
  await progress("2 of 3 answered");
  assert.equal(await inInbox.nth(1).getByTestId("decision").textContent(), "Declined");
  assert.match(await inInbox.nth(1).getByTestId("given").textContent(), /too dear/);
  await asking.shot("42-drafts-in-chat");
  // A tab that was not there sees them too, and who changes an answer begins with it.
  const late = await chatAt(context, asking.threadId);
  await late.asked("tool_call", 3);
  await until(async () => (await late.at("answer-progress").textContent()) === "2 of 3 answered", "a tab opened later shows the drafts");
  await late.front();
  await late.at("interrupt").nth(1).getByTestId("change").click();
  await until(async () => (await late.at("interrupt").nth(1).getByTestId("field-reason").inputValue()) === "too dear", "the answer is there to be changed");
  await progress("1 of 3 answered");
  await inChat.nth(1).getByTestId("edit").click();
  await inChat.nth(1).getByTestId("args-editor").fill('{"number":7}');
  await inChat.nth(1).getByTestId("approve-edited").click();
  await progress("2 of 3 answered");
  assert.equal(await inInbox.nth(1).getByTestId("decision").textContent(), "Approved with edits");
  // The last one is not the order to go on: that is given with the button.
  await inChat.nth(2).getByTestId("approve").click();
  await until(async () => (await asking.at("answer-progress").textContent()) === "3 of 3 answered", "the last one is answered");
  assert.equal(await asking.at("interrupt").count(), 3);
  await asking.click("submit-answers");
  await asking.says("I have called task_3.");
  await boss.front();
  await until(async () => (await itemOf(boss, asking).count()) === 0, "what is answered is gone");
});

test("a server without drafts is answered all the same", async () => {
  const context = await person();
  const asked = [];
  await context.route("**/v1/**", (route) => {
    asked.push(route.request().url());
    return route.fulfill({ status: 200, contentType: "text/html", body: "<p>some other page</p>" });
  });
  const tab = await chat(context);
  await tab.say("/parallel 2");
  const cards = await tab.asked("tool_call", 2);
  await tab.front();
  await cards.nth(0).getByTestId("approve").click();
  await until(async () => (await tab.at("answer-progress").textContent()) === "1 of 2 answered", "it is kept here");
  await cards.nth(0).getByTestId("change").click();
  await cards.nth(0).getByTestId("decline").click();
  await cards.nth(1).getByTestId("approve").click();
  await tab.click("submit-answers");
  await tab.says("task_1 was declined");
  assert.equal(asked.filter((url) => url.includes("/interrupts")).length, 1, "it is asked once");
});
