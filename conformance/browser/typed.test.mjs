// What is typed into a question is there when its writer comes back, and what nobody has chosen is not sent.

import assert from "node:assert/strict";
import { barriers, embedded, gateway, person, PHONE, Tab, test, until } from "./lane.mjs";

/** Leaves by these ways, and comes back by each. */
async function leaving(tab, check) {
  const place = tab.page.url();
  await tab.page.getByRole("link", { name: /Inbox/ }).click();
  await tab.page.waitForURL(/inbox/);
  await tab.page.goBack();
  await check("from the inbox");
  await tab.click("new-chat");
  await until(async () => tab.page.url() !== place, "another chat is shown");
  await tab.page.goBack();
  await check("from another chat");
  await tab.reload();
  await check("by a reload");
}

test("what is typed into a form outlives leaving and a reload", async () => {
  const tab = await Tab.open(await person({ colorScheme: "light" }), embedded);
  await tab.say("/form");
  await tab.asked("input_required");
  await tab.at("field-quarter").selectOption({ label: "Q2" });
  await tab.fill("field-year", "2026");
  await tab.fill("field-revenue", "12.");
  const shows = (way) =>
    until(async () => (await tab.at("field-year").isVisible()) && (await tab.at("field-year").inputValue()) === "2026" && (await tab.at("field-revenue").inputValue()) === "12."
      && (await tab.at("field-quarter").inputValue()) === "1", `what was typed is there ${way}`);
  await leaving(tab, shows);
  await tab.shot("133-form-after-a-reload");
  await tab.fill("field-revenue", "12.5");
  await tab.decide(tab.at("submit-form"));
  await tab.asked("input_required", 0);
  await tab.says('"revenue":12.5');
});

test("a reason, edited arguments and words of one's own outlive leaving and a reload", async () => {
  const tab = await Tab.open(await person({ colorScheme: "light" }), embedded);
  await tab.say('/tool pay_typed {"eur":1}');
  await tab.asked("tool_call");
  await tab.declines();
  await tab.fill("field-reason", "too much");
  await tab.takes(tab.at("edit"));
  await tab.click("edit");
  await tab.click("args-as-json");
  await tab.fill("args-editor", '{"eur":');
  await leaving(tab, (way) =>
    until(async () => (await tab.at("args-editor").isVisible()) && (await tab.at("args-editor").inputValue()) === '{"eur":' && (await tab.at("field-reason").inputValue()) === "too much", `it is there ${way}`));
  await tab.click("discard-edits");
  await tab.decide(tab.at("decline"));
  await tab.asked("tool_call", 0);
  await tab.rest();

  const other = await Tab.open(await person(), gateway);
  await other.say("ask");
  await other.asked("letters:approval");
  await other.click("otherwise");
  await other.fill("answer-text", "Not before Monday");
  await leaving(other, (way) => until(async () => (await other.at("answer-text").isVisible()) && (await other.at("answer-text").inputValue()) === "Not before Monday", `it is seen ${way}`));
});

test("what is typed into a question that another tab answers is said not to be sent, and can be copied", async () => {
  const context = await person({ colorScheme: "light" });
  const tab = await Tab.open(context, embedded);
  await tab.say('/tool pay_late {"eur":1}');
  await tab.asked("tool_call");
  const late = await Tab.open(context, embedded, tab.threadId);
  await late.asked("tool_call");
  await late.takes(late.at("edit"));
  await late.click("edit");
  await late.fill("edit /eur", "12,5");
  await tab.front();
  await tab.decide(tab.at("approve"));
  await tab.says("I have called pay_late");
  const tells = () => until(async () => (await late.at("unsent").isVisible()) && (await late.at("unsent-text").innerText()) === "EUR: 12.5", "what was typed is kept");
  await tells();
  await late.front();
  await late.reload();
  await tells();
  await late.shot("137-typed-too-late");
  assert.deepEqual(await barriers(late.page), []);
  await late.click("dismiss-unsent");
  await late.reload();
  await late.says("I have called pay_late");
  assert.equal(await late.at("unsent").count(), 0);
  assert.equal(await tab.at("unsent").count(), 0);
});

test("a choice that nobody has made is not made, and what is a choice is drawn as one", async () => {
  const tab = await Tab.open(await person({ colorScheme: "light" }), gateway);
  const ask = async (schema) => {
    await tab.say(`ask by ${JSON.stringify(schema)}`);
    await tab.asked("letters:approval");
  };
  const answered = async (payload) => {
    await tab.says(`Told: resolved ${payload}`);
    await tab.asked("letters:approval", 0);
  };
  const kind = { oneOf: [{ const: "person", title: "A person" }, { const: "firm", title: "A firm" }] };
  const tags = { type: "array", items: { anyOf: [{ const: 1, title: "Urgent" }, { const: 2, title: "Abroad" }, { const: 3, title: "By hand" }] } };
  const form = { type: "object", properties: { name: { type: "string" }, kind, tags }, required: ["name"] };
  await ask(form);
  assert.equal(await tab.at("field-kind").locator("option:checked").innerText(), "Choose…");
  await tab.fill("field-name", "Ann");
  await tab.decide(tab.at("submit-form"));
  await answered('{"name":"Ann"}');

  await ask(form);
  await tab.fill("field-name", "Bob");
  await tab.at("field-kind").selectOption({ label: "A firm" });
  await tab.page.getByLabel("Urgent").check();
  await tab.page.getByLabel("By hand").check();
  await tab.shot("134-choices");
  assert.deepEqual(await barriers(tab.page), []);
  await tab.decide(tab.at("submit-form"));
  await answered('{"name":"Bob","kind":"firm","tags":[1,3]}');

  await ask({ type: "string", enum: ["LH 1", "LH 2", "LH 3"] });
  assert.deepEqual(await tab.at("choice").allInnerTexts(), ["LH 1", "LH 2", "LH 3"]);
  await tab.decide(tab.at("choice").nth(1));
  await answered('"LH 2"');

  await tab.page.setViewportSize({ width: PHONE, height: 844 });
  await ask({ type: "string", enum: Array.from({ length: 12 }, (_, i) => `Gate ${i + 1}`) });
  await tab.takes(tab.at("submit-form"));
  await tab.decide(tab.at("submit-form"));
  await tab.at("interrupt").getByRole("alert").filter({ visible: true }).waitFor();
  await tab.shot("135-choice-from-a-list");
  assert.deepEqual(await barriers(tab.page), []);
  await tab.at("field-answer").selectOption({ label: "Gate 11" });
  await tab.decide(tab.at("submit-form"));
  await answered('"Gate 11"');

  await ask({ type: "array", items: { enum: ["LH 1", "LH 2"] } });
  await tab.page.getByLabel("LH 2").check();
  await tab.shot("136-list-of-choices");
  await tab.decide(tab.at("submit-form"));
  await answered('["LH 2"]');
});
