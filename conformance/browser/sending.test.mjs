// What is sent stands where it belongs, is sent when it is meant, and can be said again.

import assert from "node:assert/strict";
import { a, embedded, person, runs, Tab, test, until } from "./lane.mjs";

/** The texts of a kind that a person sees. */
const seen = (tab, selector) => tab.page.locator(selector).filter({ visible: true }).allInnerTexts().then((texts) => texts.map((text) => text.trim()));
const focused = (tab, hook) => tab.at(hook).evaluate((element) => element === document.activeElement);
const USER = '[data-testid="message"][data-role="user"] p.text';

test("a message that is sent before the agent's first word waits alone", async () => {
  const tab = await Tab.open(await person({ colorScheme: "light" }), a);
  await tab.say("/fail no paper");
  await tab.at("error").waitFor();
  // A step that takes its time says nothing.
  await tab.say("/steps 5 3000");
  await until(async () => (await tab.at("status").getAttribute("data-running")) === "true", "a run is in progress");
  for (const text of ["then this", "and that"]) {
    await tab.say(text);
    await tab.at("queued").filter({ hasText: text }).waitFor();
  }
  const waits = await seen(tab, '[data-testid="queued"] .text');
  await tab.shot("130-waits-alone");
  assert.deepEqual(waits, ["then this", "and that"]);
  assert.deepEqual(await seen(tab, USER), ["/fail no paper", "/steps 5 3000"], "what was told stays in the conversation");
});

test("Enter gives no question up, however often, and a button does", async () => {
  const tab = await Tab.open(await person({ colorScheme: "light" }), embedded);
  await tab.say("/confirm Deploy?");
  await tab.asked("confirmation");
  await tab.fill("composer", "what does this do?");
  await until(async () => (await tab.page.locator('.composer [aria-disabled="true"]').count()) === 0, "the composer is calm");
  await tab.page.keyboard.press("Enter");
  await tab.at("not-sent").waitFor();
  await until(() => focused(tab, "write-on"), "Enter leads beside the button");
  await tab.page.keyboard.press("Enter");
  await until(() => focused(tab, "composer"), "a second Enter leads back");
  await until(async () => (await tab.at("not-sent").count()) === 0, "and puts the choice away");
  await until(async () => (await tab.page.locator('.composer [aria-disabled="true"]').count()) === 0, "the composer is calm");
  await tab.page.keyboard.press("Control+Enter");
  await tab.at("not-sent").waitFor();
  await tab.shot("131-enter-keeps-the-question");
  assert.match(await tab.at("not-sent").innerText(), /a question is open/);
  assert.ok(await tab.at("interrupt").isVisible(), "it is still asked");
  assert.equal(await tab.at("composer").inputValue(), "what does this do?");
  assert.deepEqual(await seen(tab, USER), ["/confirm Deploy?"]);
  assert.equal(await tab.at("send").innerText(), "Cancel the question and send");
  await tab.page.keyboard.press("Escape");
  await until(() => focused(tab, "composer"), "Escape leads back, too");
  await until(async () => (await tab.page.locator('.composer [aria-disabled="true"]').count()) === 0, "the composer is calm");
  await tab.decide(tab.at("send"));
  await tab.asked("confirmation", 0);
  await until(async () => (await seen(tab, USER)).includes("what does this do?"), "it is sent");
  await tab.rest();
  await tab.fill("composer", "/say as ever");
  await tab.page.keyboard.press("Enter");
  await tab.says("as ever");
});

test("a question that has expired waits for nobody, and a message goes out as ever", async () => {
  const tab = await Tab.open(await person({ colorScheme: "light", viewport: { width: 1280, height: 900 } }), embedded);
  await tab.say("/expire 1");
  const card = await tab.asked("confirmation");
  await until(async () => (await card.locator('[data-expired="true"]').count()) === 1, "it has expired");
  const row = tab.page.locator(`[data-testid="thread"][data-thread-id="${tab.threadId}"]`);
  await until(async () => /question expired/.test(await row.innerText()), "the list says so");
  await tab.shot("133-expired");
  await tab.fill("composer", "/say never mind");
  assert.equal(await tab.at("send").innerText(), "Send");
  await tab.page.keyboard.press("Enter");
  await tab.says("never mind");
  await tab.asked("confirmation", 0);
  await until(async () => !/expired/.test(await row.innerText()), "nothing is left of it in the list");
});

test("while an answer streams what may be done with a message is said, and nothing is there that does nothing", async () => {
  const tab = await Tab.open(await person({ colorScheme: "light" }), embedded);
  await tab.say("/slow 400 100");
  await until(async () => (await tab.at("status").getAttribute("data-running")) === "true", "a run is in progress");
  assert.equal(await tab.page.locator(".composer button:disabled").count(), 0);
  await tab.fill("composer", "/say next");
  assert.match(await tab.at("waits-its-turn").innerText(), /waits until this answer is done/i);
  await tab.shot("134-while-it-streams");
  await tab.click("send");
  await tab.at("queued").waitFor();
  await tab.click("stop");
  await tab.says("next");
});

test("a turn that has failed can be tried again at once, and after a reload", async () => {
  const tab = await Tab.open(await person({ colorScheme: "light" }), embedded);
  await tab.say("/fail out of paper");
  const retry = tab.at("retry-turn").filter({ visible: true });
  await tab.at("error").waitFor();
  await until(async () => (await retry.count()) === 1, "it is offered");
  await tab.shot("132-failed-offers-a-retry");
  await tab.reload();
  await until(async () => (await retry.count()) === 1, "it is offered after a reload");
  await tab.decide(retry);
  await until(async () => (await runs(embedded, tab.threadId)).length === 2, "it is asked again");
  await until(async () => (await retry.count()) === 1 && (await tab.at("error").isVisible()), "which fails again");
  assert.equal((await seen(tab, USER)).length, 1, "its message stands once");
  await until(async () => /^2 times/.test(await tab.at("failed-times").textContent()), "how often it has failed is said");
  assert.match(await tab.at("failed-before").innerText(), /1 earlier failure/);
  await tab.at("failed-before").locator("summary").click();
  assert.match(await tab.at("failed-before").locator("li").innerText(), /^\d\d:\d\d out of paper\.$/);
  await tab.click("change-asked");
  await tab.page.keyboard.press("Escape");
  await tab.click("dismiss-error");
  await until(async () => (await tab.at("error").count()) === 0 && (await retry.count()) === 1, "it is offered where the turn ended");
  await tab.reload();
  // What the last run has told is told anew, and then not marked as well.
  await until(async () => (await tab.at("turn-end").count()) + (await tab.at("error").count()) === 1 && (await seen(tab, USER)).length === 1, "and is there once after a reload");
});
