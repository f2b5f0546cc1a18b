// An agent that asks as most do: without a schema.

import assert from "node:assert/strict";
import { barriers, gateway, person, PHONE, Tab, test, until } from "./lane.mjs";

const REASON = "letters:approval";

test("a question without a schema takes a yes, a no, options, a text, JSON and a cancel", async () => {
  const context = await person({ colorScheme: "light" });
  const tab = await Tab.open(context, gateway);
  const ask = async (words) => {
    await tab.say(words);
    await tab.asked(REASON);
  };
  const answered = async (payload) => {
    await tab.says(`Told: ${payload}`);
    await tab.asked(REASON, 0);
  };
  await ask("ask");
  const card = tab.at("interrupt");
  assert.equal(await card.locator("h2").textContent(), "Send the letter to Ann?");
  assert.doesNotMatch(await card.innerText(), /letters:|\{|\}/);
  assert.equal(await tab.at("tool-card").last().getByTestId("verdict").textContent(), "waiting");
  await card.getByTestId("more-said").click();
  assert.match(await card.getByTestId("interrupt-about").innerText(), /To\s+ann@example\.org\s+Pages\s+2/);
  await card.getByTestId("otherwise").click();
  await tab.shot("100-asks-light");
  assert.deepEqual(await barriers(tab.page), []);
  await tab.decide(tab.at("approve"));
  await answered('resolved {"approved":true}');

  await ask("ask");
  await tab.decide(tab.at("decline"));
  await answered('resolved {"approved":false}');

  await ask("ask");
  await tab.click("otherwise");
  assert.ok(await tab.at("submit-answer").isDisabled(), "nothing is said yet");
  await tab.fill("answer-text", "Not now: Ann's away");
  await tab.decide(tab.at("submit-answer"));
  await answered('resolved "Not now: Ann\'s away"');

  await ask("ask");
  await tab.click("otherwise");
  await tab.at("answer-is-json").check();
  await tab.fill("answer-json", '{"amount":12345678901234567890');
  assert.match(await card.getByRole("alert").innerText(), /is not JSON/);
  assert.ok(await tab.at("submit-answer").isDisabled(), "what is no JSON is not sent");
  await tab.fill("answer-json", '{"amount":12345678901234567890}');
  await tab.decide(tab.at("submit-answer"));
  await answered('resolved {"amount":12345678901234567890}');

  await tab.page.emulateMedia({ colorScheme: "dark" });
  await tab.page.setViewportSize({ width: PHONE, height: 844 });
  await ask("ask options");
  assert.deepEqual(await tab.at("choice").allTextContents(), ["Today", "On Monday, with the other letters", "Never"]);
  const room = await tab.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.equal(room, 0, "it has room on a phone");
  await tab.shot("101-options-dark-narrow");
  assert.deepEqual(await barriers(tab.page), []);
  await tab.decide(tab.at("choice").nth(1));
  await answered('resolved {"day":1}');
  await until(async () => /On Monday/.test((await tab.at("answered-question").last().textContent()) ?? ""), "what was chosen stays, in its words");
  await tab.shot("102-answered-dark-narrow");

  await ask("ask");
  await tab.decide(tab.at("cancel"));
  await answered("cancelled");

  await tab.page.emulateMedia({ colorScheme: "light" });
  await tab.page.setViewportSize({ width: 1280, height: 900 });
  await ask("ask");
  const inbox = await Tab.at(context, `${gateway}/inbox`, tab.threadId);
  const item = await inbox.pick(tab);
  assert.match(await inbox.row(tab).innerText(), /Send the letter to Ann\?/);
  await inbox.shot("103-asks-in-the-inbox");
  await inbox.takes(item.getByTestId("decline"));
  await inbox.page.keyboard.press("d");
  await inbox.at("inbox-said").waitFor();
  assert.match(await inbox.at("inbox-said").innerText(), /Answered “No” to “Send the letter to Ann\?”/);
  await answered('resolved {"approved":false}');
});

test("a run that waits is stopped where a run is, and everybody sees that", async () => {
  const context = await person({ colorScheme: "light" });
  const tab = await Tab.open(context, gateway);
  await tab.say("ask");
  await tab.asked(REASON);
  const other = await Tab.open(context, gateway, tab.threadId);
  await other.asked(REASON);
  await tab.shot("102-waits-and-can-be-stopped");
  await tab.click("menu");
  await tab.click("developer");
  await tab.decide(tab.at("stop-waiting"));
  await tab.page.keyboard.press("Escape");
  for (const each of [tab, other]) {
    await each.asked(REASON, 0);
    await until(async () => (await each.at("stop-waiting").count()) === 0, "the button goes");
  }
  assert.equal(await tab.page.getByTestId("verdict").last().textContent(), "no answer given");
  // The agent, which keeps its question itself, is told with the next message.
  await tab.say("ask");
  await tab.says("Told: cancelled");
});
