// Going back in a conversation: a message is changed, an answer given anew, and what was there before restored.

import assert from "node:assert/strict";
import { a, b, barriers, person, same, Tab, test, until } from "./lane.mjs";

const shown = async (tab) => (await tab.seen()).messages.map(({ text }) => text);
const shows = (tab, ...texts) => until(async () => JSON.stringify(await shown(tab)) === JSON.stringify(texts), `the tab shows ${texts}`);
const act = (tab, message, hook) => tab.page.locator(`[data-testid="message"]`, { hasText: message }).last().getByTestId(hook);

test("an edited message and what it replaced, in all tabs and after a reload", async () => {
  const context = await person();
  const tab = await Tab.open(context, a);
  const other = await Tab.open(context, b, tab.threadId);
  await tab.say("/say one");
  await tab.says("one");
  await tab.rest();
  await tab.say("/say two");
  await tab.says("two");
  await tab.rest();
  // Arrow up takes the last message, Escape leaves it as it is.
  await tab.at("composer").focus();
  await tab.page.keyboard.press("ArrowUp");
  assert.equal(await tab.at("edit-field").inputValue(), "/say two");
  assert.equal(await tab.page.evaluate(() => document.activeElement.dataset.testid), "edit-field");
  await tab.shot("90-edit-light");
  assert.deepEqual(await barriers(tab.page), []);
  await tab.page.keyboard.press("Escape");
  await until(async () => (await tab.at("edit-field").count()) === 0, "it is left");
  assert.equal(await tab.page.evaluate(() => document.activeElement.dataset.testid), "composer");
  await act(tab, "/say one", "edit-message").click();
  await tab.fill("edit-field", "/say three");
  await tab.page.keyboard.press("Enter");
  await shows(tab, "/say three", "three");
  await shows(other, "/say three", "three");
  await same(tab, other);
  for (const one of [tab, other]) await one.at("branches").waitFor();
  assert.match(await other.at("branches").textContent(), /1 earlier version.*one.*4 messages/s);
  await other.front();
  await other.at("branches").locator("summary").click();
  await other.shot("91-branches-light");
  assert.deepEqual(await barriers(other.page), []);
  await other.decide(other.at("restore"));
  await shows(other, "/say one", "one", "/say two", "two");
  await shows(tab, "/say one", "one", "/say two", "two");
  await same(tab, other);
  await tab.at("branches").waitFor();
  assert.match(await tab.at("branches").textContent(), /1 earlier version.*three.*2 messages/s);
});

test("what an earlier version carried out stays in sight, and the same call says so when it is asked for again", async () => {
  const tab = await Tab.open(await person(), a);
  await tab.say("Send an email to bob@example.com");
  await tab.decide(tab.at("approve"));
  await tab.says("The email to bob@example.com is on its way.");
  await tab.rest();
  assert.equal(await tab.at("done-before").count(), 0);
  await act(tab, "The email to bob@example.com", "answer-anew").click();
  await tab.at("notice").waitFor();
  assert.match(await tab.at("notice").textContent(), /already carried out \(\d\d:\d\d\).*again/);
  await tab.reload();
  await tab.at("notice").waitFor();
  assert.match(await tab.at("done-before").getByTestId("tool-card").getAttribute("aria-label"), /Send email to bob@example\.com.*approved/i);
  await tab.shot("92-done-before-light");
  assert.deepEqual(await barriers(tab.page), []);
});
