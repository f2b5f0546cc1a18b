// What a decision looks like: in the tab that took it, in others, and after a reload.

import assert from "node:assert/strict";
import { a, ANN, barriers, embedded, guarded, numbers, person, PHONE, runs, signIn, Tab, test, unique, until } from "./lane.mjs";

const verdict = (tab) => tab.at("tool-card").last().getByTestId("verdict");

/** The tab, another one and the same tab reloaded say the same of the last call. */
async function verdicts(tab, other, words) {
  for (const one of [tab, other]) await until(async () => (await verdict(one).allTextContents()).join() === words, `${words} is said`);
  await tab.reload();
  await until(async () => (await verdict(tab).allTextContents()).join() === words, `${words} is said after a reload`);
}

test("a call says what was decided about it, by whom and why, in every tab and after a reload", async () => {
  const tool = unique("pay");
  const context = await person();
  const tab = await Tab.at(context, `${guarded}/`, undefined, { serverMayRefuse: true });
  await signIn(tab);
  await tab.connected();
  const threadId = new URL(tab.page.url()).searchParams.get("thread");
  const other = await Tab.at(context, `${guarded}/?thread=${threadId}`, threadId, { serverMayRefuse: true });
  await signIn(other, ANN);
  await other.connected();
  let proposed = 0;
  const propose = async () => {
    await tab.front();
    await tab.say(`/tool ${tool} {"eur":10,"to":{"name":"Ada"}}`);
    await tab.asked("tool_call");
    assert.equal(await tab.at("tool-card").count(), proposed++, "what is asked is shown once");
  };
  await propose();
  await tab.decide(tab.at("approve"));
  await tab.says(`I have called ${tool}.`);
  await verdicts(tab, other, "approved by ann");
  await propose();
  await tab.declines();
  await tab.fill("field-reason", "too dear");
  await tab.decide(tab.at("decline"));
  await tab.says("was declined");
  await verdicts(tab, other, "declined by ann");
  assert.match(await tab.at("tool-card").last().getByTestId("decision-reason").textContent(), /too dear/);
  await propose();
  await tab.decide(tab.at("edit"));
  await tab.click("args-as-json");
  await tab.fill("args-editor", '{"eur":7,"to":{"name":"Ada"}}');
  await tab.decide(tab.at("approve-edited"));
  await until(async () => (await tab.at("changes").count()) === 1, "the change is shown");
  await verdicts(tab, other, "edited by ann");
  assert.deepEqual(await tab.at("changes").locator("dt, del, ins").allTextContents(), ["EUR", "7", "was 10"]);
  await propose();
  await tab.decide(tab.at("cancel"));
  await verdicts(tab, other, "no answer given by ann");
  assert.deepEqual(await barriers(tab.page), []);
  await tab.shot("90-decisions");
});

test("a no that is pressed asks for a reason and is what Enter does there, Escape leads back, and what a no is said to be is calm", async () => {
  const tool = unique("pay");
  const tab = await Tab.open(await person(), embedded);
  await tab.say(`/tool ${tool} {"eur":10}`);
  const card = await tab.asked("tool_call");
  assert.equal(await card.getByTestId("cancel").innerText(), "Give no answer");
  const filled = () => card.locator("button.primary").evaluateAll((all) => all.map((button) => button.dataset.testid).join());
  const focused = (hook) => until(() => card.getByTestId(hook).evaluate((control) => control === document.activeElement), `${hook} has the focus`);
  assert.equal(await filled(), "approve");
  // The second click of two declines nothing, though the no is filled by then.
  await card.getByTestId("approve").click({ trial: true });
  await card.getByTestId("decline").dblclick();
  assert.equal(await filled(), "decline");
  await tab.at("field-reason").focus();
  await tab.page.keyboard.press("Escape");
  await focused("decline");
  // Nor does the second of two Enters, which the field gets.
  await tab.takes(card.getByTestId("decline"));
  await tab.page.keyboard.press("Enter");
  await tab.page.keyboard.press("Enter");
  await tab.at("too-soon").waitFor();
  assert.equal(await filled(), "decline");
  await focused("field-reason");
  assert.ok(await card.locator(".when-focused").isVisible());
  await card.getByTestId("approve").focus();
  assert.ok(!(await card.locator(".when-focused").isVisible()), "what keys do in a field is said there");
  await tab.fill("field-reason", "too dear");
  await tab.page.keyboard.press("Escape");
  await focused("decline");
  assert.equal(await filled(), "approve", "Escape leads back, and sends nothing");
  // Opening what is to be edited moves the buttons, and nobody waits for what they have moved themselves.
  await card.getByTestId("approve").click({ trial: true });
  await tab.click("edit");
  await tab.at("approve-edited").waitFor();
  assert.equal(await tab.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(document.querySelectorAll(".question .guarded[aria-disabled], .guarded[aria-disabled] .question").length))))), 0, "nothing waits");
  await tab.click("discard-edits");
  await tab.declines();
  await focused("field-reason");
  assert.equal(await tab.at("field-reason").inputValue(), "too dear");
  await tab.takes(card.getByTestId("decline"));
  await tab.page.keyboard.press("Enter");
  await tab.says(`${tool} was declined`);
  assert.match(await tab.at("tool-card").last().getByTestId("decision-reason").innerText(), /too dear/);
  assert.equal(await verdict(tab).locator(".tag").getAttribute("class"), "tag ");
  assert.equal(await tab.at("next-step").count(), 0, "a no is no first approval");
});

test("on a phone, fields that are edited have the window for themselves, and no keys are told of", async () => {
  const tab = await Tab.open(await person({ viewport: { width: PHONE, height: 700 }, hasTouch: true, isMobile: true }), embedded);
  await tab.say('/tool send_mail {"to":"ada@example.com","cc":["bob@example.com","eve@example.com"],"subject":"Hello","body":"A text","priority":3}');
  await tab.asked("tool_call");
  await tab.click("edit");
  const fields = tab.at("arg-edits").locator("input");
  for (const field of await fields.all()) {
    await field.focus();
    const over = await field.evaluate((input) => {
      const { x, y, width, height } = input.getBoundingClientRect();
      return [0.1, 0.9].map((at) => document.elementFromPoint(x + width / 2, y + height * at)?.closest(".composer, .jump")?.className).filter(Boolean).join();
    });
    assert.equal(over, "", "nothing lies over it");
  }
  assert.equal(await tab.page.locator(".keys").filter({ visible: true }).count(), 0);
  await tab.shot("135-edits-on-a-phone");
});

for (const size of [{ width: 1280, height: 800 }, { width: PHONE, height: 700 }]) {
  test(`what answers a question that is higher than ${size.height} pixels is in sight with its beginning`, async () => {
    const tab = await Tab.open(await person({ viewport: size }), embedded);
    await tab.say(`/tool write_letter {"to":"ada@example.com","body":"${numbers(300)}","pages":${JSON.stringify(numbers(25).split(" "))}}`);
    const card = await tab.asked("tool_call");
    await tab.takes(card.getByTestId("approve"));
    const { page, top, bottom } = await card.evaluate((question) => ({
      page: scrollY, top: question.getBoundingClientRect().top, bottom: question.getBoundingClientRect().bottom,
    }));
    assert.ok(top > 0 && bottom > size.height, `it begins in sight and ends out of it: ${top} to ${bottom}`);
    for (const hook of ["approve", "decline", "cancel"]) await card.getByTestId(hook).click({ trial: true });
    assert.equal(await tab.page.evaluate(() => scrollY), page, "nothing had to be scrolled for that");
    await tab.shot(`136-high-question-${size.width}`);
  });
}

test("nothing lies over a question that is in sight, and there is a way to one that is not", async () => {
  const tab = await Tab.open(await person({ viewport: { width: PHONE, height: 700 } }), embedded);
  await tab.say(`/say ${numbers(40).replaceAll(" ", "\n\n")}`);
  await tab.rest();
  await tab.say("/form");
  await tab.asked("input_required");
  const up = (pixels) => tab.page.evaluate((by) => new Promise((drawn) => {
    scrollBy({ top: -by, behavior: "instant" });
    requestAnimationFrame(() => requestAnimationFrame(drawn));
  }), pixels);
  await up(100);
  assert.equal(await tab.at("jump").count(), 0, "who reads a question sees it");
  await up(1000);
  await tab.click("jump");
  await until(async () => (await tab.at("jump").count()) === 0 && tab.at("submit-form").isVisible(), "the question is in sight again");
});

test("questions and what was answered stay in the conversation, and a yes has its no", async () => {
  const context = await person({ colorScheme: "dark", viewport: { width: PHONE, height: 844 } });
  const tab = await Tab.open(context, embedded);
  await tab.say("/confirm Book the Adlon?");
  await tab.asked("confirmation");
  assert.equal(await tab.at("approve").textContent(), "Yes");
  await tab.decide(tab.at("decline"));
  await tab.says("Declined.");
  await tab.say("/form");
  await tab.asked("input_required");
  await tab.at("field-quarter").selectOption({ label: "Q3" });
  await tab.fill("field-year", "2026");
  await tab.fill("field-revenue", "12.5");
  await tab.decide(tab.at("submit-form"));
  await tab.says("The revenue of");
  const stays = async (one) => {
    await until(async () => (await one.at("answered-question").count()) === 2, "both answers stay");
    const [first, second] = await one.at("answered-question").allTextContents();
    assert.match(first, /Book the Adlon\?no/);
    assert.match(second, /answered.*QuarterQ3Year2026Revenue12\.5/);
    const inOrder = await one.page.evaluate(() => [...document.querySelectorAll('[data-testid="answered-question"], [data-role="assistant"]')].map((e) => e.dataset.testid));
    assert.deepEqual(inOrder.slice(0, 3), ["answered-question", "message", "answered-question"]);
  };
  await stays(tab);
  await tab.reload();
  await stays(tab);
  await stays(await Tab.open(context, embedded, tab.threadId));
  assert.deepEqual(await barriers(tab.page), []);
  await tab.shot("91-answers-phone-dark");
});

test("a turn that failed or was stopped leaves its mark, and is tried again", async () => {
  const context = await person();
  const tab = await Tab.open(context, a);
  await tab.say("/slow 1000 20");
  await tab.says("1 2 3");
  await tab.click("stop");
  await tab.rest();
  await tab.say("/fail out of paper");
  await tab.at("error").waitFor();
  await tab.click("dismiss-error");
  const marks = async (one) => {
    await until(async () => (await one.at("turn-end").count()) === 2, "both marks are there");
    assert.deepEqual(await one.at("turn-end").evaluateAll((all) => all.map((mark) => mark.dataset.how)), ["stopped", "failed"]);
  };
  await marks(tab);
  await tab.reload();
  await tab.click("dismiss-error");
  await marks(tab);
  assert.match(await tab.at("turn-end").last().textContent(), /out of paper/);
  await tab.shot("92-marks");
  await tab.decide(tab.at("retry-turn").last());
  await until(async () => (await runs(a, tab.threadId)).length === 3, "it is asked anew");
  await tab.at("error").waitFor();
  await tab.click("dismiss-error");
  await marks(tab);
  assert.equal(await tab.page.locator('[data-role="user"]').filter({ hasText: "/fail" }).count(), 1, "its message stands once");
});

test("several questions come one at a time, are looked over before they are sent, and fit a phone", async () => {
  const context = await person({ viewport: { width: PHONE, height: 844 } });
  const tab = await Tab.open(context, embedded);
  await tab.say("/parallel 3");
  const cards = await tab.asked("tool_call", 3);
  const reached = async (...hooks) => {
    for (const hook of hooks) {
      const box = await tab.page.locator(`[data-testid="${hook}"]:visible`).first().boundingBox();
      const composer = await tab.at("composer").boundingBox();
      assert.ok(box && box.y >= 0 && box.y + box.height <= composer.y, `${hook} is in sight: ${JSON.stringify(box)}`);
    }
  };
  const step = async (words) => until(async () => (await tab.at("step").textContent()) === words, words);
  await step("Question 1 of 3");
  await reached("step", "step-next", "proposed-args", "approve", "decline", "edit", "cancel");
  await tab.shot("93-steps-phone");
  // The second click of two comes down on the next question, which takes none.
  await tab.takes(cards.nth(0).getByTestId("approve"));
  const { x, y, width, height } = await cards.nth(0).getByTestId("approve").boundingBox();
  await tab.page.mouse.click(x + width / 2, y + height / 2);
  await step("Question 2 of 3");
  await tab.page.mouse.click(x + width / 2, y + height / 2);
  assert.equal(await tab.at("answer-progress").textContent(), "1 of 3 answered");
  await tab.click("step-next");
  await step("Question 3 of 3");
  await tab.decide(cards.nth(2).getByTestId("decline"));
  await step("Question 2 of 3");
  await tab.click("step-next");
  await tab.click("step-next");
  await step("Review");
  assert.ok(await tab.at("submit-answers").isDisabled(), "a question is left");
  await tab.at("review-look").nth(1).click();
  await tab.fill("composer", ""); // the focus leaves, and the question stays
  await step("Question 2 of 3");
  await cards.nth(1).getByTestId("edit").click();
  await cards.nth(1).getByTestId("edit /number").fill("7");
  await tab.decide(cards.nth(1).getByTestId("approve-edited"));
  await step("Review");
  await reached("review", "submit-answers", "step-back");
  assert.deepEqual(await tab.at("review").locator(".tag").allTextContents(), ["Approved", "Approved with edits", "Declined"]);
  assert.deepEqual(await tab.at("review").locator("dt, del, ins").allTextContents(), ["Number", "7", "was 2"]);
  assert.deepEqual(await barriers(tab.page), []);
  await tab.shot("94-review-phone");
  await tab.decide(tab.at("submit-answers"));
  await tab.says("task_3 was declined");
  await until(async () => (await tab.at("tool-card").getByTestId("verdict").allTextContents()).join() === "approved,edited,declined", "each call says what became of it");
});
