// <Decision> of @aguiws/react: the questions of CopilotKit, and of a page that has no frontend of others.

import assert from "node:assert/strict";
import { test as anyTest } from "node:test";
import { showing, versionOf } from "../node/shown.mjs";
import { effects, Tab, unique, until } from "./lane.mjs";

const together = "CopilotKit by runtimeUrl: of two questions both are answered, and the first answer is told until then";
const copilot = { client: "@copilotkit/react-core", version: versionOf("@copilotkit/react-core", import.meta.dirname), way: "`runtimeUrl`", lane: "frontends" };
const test = showing(anyTest, copilot, { "several questions": together });

const copilotkit = {
  composer: 'textarea[data-testid="copilot-chat-textarea"]', send: '[data-testid="copilot-send-button"]',
  assistant: '[data-testid="copilot-assistant-message"]',
};
const own = { composer: 'input[name="text"]', assistant: "main > p" };

const asked = (tab, n = 1) => until(async () => (await tab.at("interrupt").count()) === n, `${n} questions`);

/** What has only just come takes no decision. */
const press = (where, hook) => where.locator(`.guarded:not([aria-disabled]) [data-testid="${hook}"]`).click();

for (const by of ["runtimeUrl", "WebSocketAgent"]) {
  test(`CopilotKit by ${by}: a call is approved with edits`, async () => {
    const tool = unique("pay");
    const tab = await Tab.open("decision", copilotkit, { with: "copilotkit", by });
    await tab.say(`/tool ${tool} {"amount":10}`);
    await asked(tab);
    assert.match(await tab.at("interrupt").innerText(), /Amount\s+10/);
    await tab.shot(`decision-copilotkit-${by}`);
    await press(tab.page, "edit");
    await tab.at("edit /amount").fill("7");
    await press(tab.page, "approve-edited");
    await tab.says(`I have called ${tool}.`);
    assert.deepEqual(await effects(tool), [{ amount: 7 }]);
    await asked(tab, 0);
  });
}

const pressed = (card, hook) => until(async () => (await card.getAttribute("aria-disabled")) === null, "it takes a decision").then(() => card.getByTestId(hook).click());
/** A no asks for a reason first. */
const declined = (card) => pressed(card, "decline").then(() => card.getByTestId("field-reason").waitFor()).then(() => pressed(card, "decline"));

test(together, async () => {
  const tab = await Tab.open("decision", copilotkit, { with: "copilotkit", by: "runtimeUrl" });
  await tab.say("/parallel 2");
  await asked(tab, 2);
  const [first, second] = [0, 1].map((i) => tab.page.locator(".guarded").nth(i));
  await pressed(first, "approve");
  await until(async () => (await first.getByTestId("approve").count()) === 0, "the answer is told in place of the buttons");
  await declined(second);
  await tab.says("called task_1");
  await tab.says("task_2 was declined");
  await asked(tab, 0);
});

const say = async (tab, text) => {
  await tab.page.locator(own.composer).fill(text);
  await tab.page.locator(own.composer).press("Enter");
};

test("the package's hooks: several questions are answered together, and an answer is changed", async () => {
  const tab = await Tab.open("decision", own, { with: "own" });
  await say(tab, "/parallel 2");
  await asked(tab, 2);
  const [first, second] = [0, 1].map((i) => tab.page.locator("main .guarded").nth(i));
  await pressed(first, "approve");
  await pressed(first, "change");
  await declined(first);
  await tab.shot("decision-own");
  await pressed(second, "approve");
  await tab.says("task_1 was declined");
  await tab.says("called task_2");
  await asked(tab, 0);
});

test("the package's inbox and threads: a question is answered beside its chat", async () => {
  const tab = await Tab.open("decision", own, { with: "own" });
  await say(tab, "/confirm Book the Adlon?");
  await asked(tab);
  const thread = tab.page.locator(`nav [data-thread-id="${tab.threadId}"]`);
  await until(async () => /waiting for you/.test(await thread.innerText()), "the list of threads says that it waits");
  await tab.page.locator(`[data-testid="inbox-pick"][data-thread-id="${tab.threadId}"]`).click();
  const inbox = tab.at("inbox-item");
  await inbox.getByTestId("interrupt").waitFor();
  await tab.shot("decision-inbox");
  await press(inbox, "approve");
  await tab.says("Confirmed.");
  await until(async () => /No question waits/.test(await tab.at("inbox").innerText()), "the inbox has nothing more");
  await asked(tab, 0);
});

test("the package's form and its inbox, in the words of the page", async () => {
  const tab = await Tab.open("decision", own, { with: "office", follow: "1" });
  await tab.at("thread-list").waitFor();
  await tab.agent((agent) => {
    agent.addMessage({ id: "m1", role: "user", content: '/tool pay {"amount":10}' });
    return agent.runAgent().then(() => agent.pendingInterrupts.length);
  });
  await tab.page.locator(`[data-testid="inbox-pick"][data-thread-id="${tab.threadId}"]`).click();
  const inbox = tab.at("inbox-item");
  await until(async () => /Genehmigen/.test(await inbox.innerText()), "the inbox has the words that it was given");
  await inbox.getByRole("link", { name: "Chat", exact: true }).waitFor(); // the thread is one of the reader's own
  await declined(inbox.locator(".guarded"));
  await until(async () => tab.agent((agent) => agent.status.interrupts.length === 0), "the answer has reached the agent");
  await tab.at("field-amount").fill("-1");
  await press(tab.page, "submit-form");
  await until(async () => /mindestens 0/.test(await tab.page.locator("form").innerText()), "the form says what is wrong");
  await tab.at("field-amount").fill("12.5");
  await press(tab.page, "submit-form");
  await until(async () => (await tab.page.locator("output").innerText()) === '{"amount":12.5}', "the form gives its answer");
});
