// Open questions of all threads in one place.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { ANN, barriers, BOB, effects, embedded, EVE, guarded, person, PHONE, sends, signIn, steps, Tab, test, unique, unseen, until } from "./lane.mjs";

/** A chat of Ann's. */
const chat = (context) => chatAt(context, crypto.randomUUID());

async function chatAt(context, threadId) {
  const tab = await Tab.at(context, `${guarded}/?thread=${threadId}`, threadId, { serverMayRefuse: true });
  await signIn(tab);
  await tab.connected();
  return tab;
}

async function inbox(context, token = ANN) {
  const tab = await Tab.at(context, `${guarded}/inbox`, undefined, { serverMayRefuse: true, serverMayNotKnow: true });
  await signIn(tab, token);
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
  await open.row(tool).waitFor();
  await open.row(form).waitFor();
  await open.pick(tool);
  assert.match(await itemOf(open, tool).textContent(), /to\s*ada/);
  await open.shot("40-inbox");
  await open.choose("inbox-reason", "input_required");
  await until(async () => (await open.row(tool).count()) === 0 && (await open.row(form).count()) === 1, "only forms are shown");
  await open.choose("inbox-reason", "");
  await open.decide((await open.pick(tool)).getByTestId("approve"));
  await until(async () => (await itemOf(open, tool).count()) === 0, "what is answered is gone");
  await itemOf(open, form).waitFor();
  await until(() => open.page.evaluate(() => document.activeElement?.matches(".inbox-detail")), "the next one comes by itself, and has the focus");
  assert.match(await open.at("inbox-said").textContent(), /Approved “Send/);
  await tool.says("I have called send.");
  await open.decide(itemOf(open, form).getByTestId("submit-form"));
  await until(async () => (await itemOf(open, form).getByRole("alert").count()) > 0, "an answer is checked before it is sent");
  await itemOf(open, form).getByTestId("field-quarter").selectOption({ label: "Q2" });
  await itemOf(open, form).getByTestId("field-year").fill("2026");
  await itemOf(open, form).getByTestId("field-revenue").fill("1.5");
  await itemOf(open, form).getByTestId("submit-form").click();
  await until(async () => (await itemOf(open, form).count()) === 0, "the form is answered");
  await until(() => open.page.evaluate(() => document.activeElement?.tagName === "H2"), "the focus is at the head of what is left");
  await until(async () => /^The last answer was given .+ by ann$/.test((await open.at("inbox-last").allTextContents()).join()), "it says when the last was answered");
  await form.says("The revenue of");
});

test("an answer after which the agent could not go on is told so, and its question is open again", async () => {
  const context = await person();
  const asking = await Tab.open(context, steps);
  await asking.say("change");
  await asking.asked("confirmation");
  const open = await Tab.at(context, `${steps}/inbox`);
  await open.decide((await open.pick(asking)).getByTestId("approve"));
  await until(async () => /could not go on in .*\. The agent has changed since this began\. The question is open again\./.test(await open.at("inbox-said").textContent()), "it is said");
  await until(async () => (await itemOf(open, asking).getByTestId("inbox-refused").count()) === 1, "it is said at the question, too");
  await asking.front();
  await until(async () => /The agent has changed since this began/.test(await asking.at("error").textContent()), "the chat says so");
});

test("partial answers are drafts, seen by everybody, and taken back", async () => {
  const context = await person();
  const asking = await chat(context);
  await asking.say("/parallel 3");
  await asking.asked("tool_call", 3);
  const [one, other] = [await inbox(context), await inbox(context)];
  const cards = (tab) => itemOf(tab, asking).getByTestId("interrupt");
  for (const tab of [one, other]) await tab.pick(asking);
  const progress = async (tab, words) => {
    await tab.front();
    await until(async () => (await itemOf(tab, asking).getByTestId("answer-progress").textContent()) === words, words);
  };
  await one.front();
  await cards(one).nth(0).getByTestId("approve").click();
  await progress(one, "1 of 3 answered");
  await one.decide(cards(one).nth(1).getByTestId("decline"));
  await progress(one, "2 of 3 answered");
  await one.shot("41-drafts");
  await progress(other, "2 of 3 answered");
  assert.equal(await cards(other).nth(1).getByTestId("decision").textContent(), "Declined");
  await other.click("step-back");
  await cards(other).nth(1).getByTestId("change").click();
  await progress(other, "1 of 3 answered");
  await cards(other).nth(1).getByTestId("cancel").click();
  await progress(other, "2 of 3 answered");
  await cards(other).nth(2).getByTestId("approve").click();
  await progress(other, "3 of 3 answered");
  await other.decide(other.at("submit-answers"));
  await until(async () => (await itemOf(other, asking).count()) === 0, "the thread goes on");
  await asking.says("I have called task_3.");
});

test("drafts of the inbox show in the chat, and those of the chat in the inbox", async () => {
  const context = await person();
  const asking = await chat(context);
  await asking.say("/parallel 3");
  await asking.asked("tool_call", 3);
  const boss = await inbox(context);
  await boss.pick(asking);
  const inInbox = itemOf(boss, asking).getByTestId("interrupt");
  const inChat = asking.at("interrupt");
  const progress = async (words) => {
    await boss.front();
    await until(async () => (await itemOf(boss, asking).getByTestId("answer-progress").textContent()) === words, `${words} in the inbox`);
    await asking.front();
    await until(async () => (await asking.at("answer-progress").textContent()) === words, `${words} in the chat`);
  };
  await boss.front();
  await inInbox.nth(0).getByTestId("approve").click();
  await progress("1 of 3 answered");
  assert.equal(await inChat.nth(0).getByTestId("decision").textContent(), "Approved");
  await asking.declines(inChat.nth(1));
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
  await late.click("step-back");
  await late.at("interrupt").nth(1).getByTestId("change").click();
  await until(async () => (await late.at("interrupt").nth(1).getByTestId("field-reason").inputValue()) === "too dear", "the answer is there to be changed");
  await progress("1 of 3 answered");
  await asking.click("step-back");
  await inChat.nth(1).getByTestId("edit").click();
  await inChat.nth(1).getByTestId("edit /number").fill("7");
  await inChat.nth(1).getByTestId("approve-edited").click();
  await progress("2 of 3 answered");
  assert.equal(await inInbox.nth(1).getByTestId("decision").textContent(), "Approved with edits");
  // The last one is not the order to go on: that is given with the button.
  await inChat.nth(2).getByTestId("approve").click();
  await progress("3 of 3 answered");
  await late.front();
  await late.page.reload();
  await until(async () => (await late.at("submit-answers").count()) === 1, "whoever comes back looks all of them over");
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
  await tab.click("step-back");
  await cards.nth(0).getByTestId("change").click();
  await tab.decide(cards.nth(0).getByTestId("decline"));
  await cards.nth(1).getByTestId("approve").click();
  await tab.click("submit-answers");
  await tab.says("task_1 was declined");
  assert.equal(asked.filter((url) => url.includes("/interrupts")).length, 1, "it is asked once");
});

/** Has a run of Ann's suspend in a thread of its own, without any tab: it is asked whether to call a tool. */
const suspends = (tool, args) => suspendsAt(`/tool ${tool} ${JSON.stringify(args)}`);

/** The same by what is said, and by whom. */
async function suspendsAt(text, token = ANN) {
  const threadId = crypto.randomUUID();
  const answer = await fetch(`${guarded}/agui`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json", Accept: "text/event-stream" },
    body: JSON.stringify({
      threadId, runId: crypto.randomUUID(), state: {}, tools: [], context: [], forwardedProps: {},
      messages: [{ id: crypto.randomUUID(), role: "user", content: text }],
    }),
  });
  assert.equal(answer.status, 200);
  assert.match(await answer.text(), /"interrupt"/);
  return { threadId };
}

test("what waits comes by itself and at once, is filtered, answered together, and on record with who did it", async () => {
  const context = await person({ acceptDownloads: true });
  const [send, pay] = [unique("send"), unique("pay")];
  const open = await inbox(context);
  await open.at("inbox-empty").or(open.at("inbox-row")).first().waitFor();
  const lists = [];
  open.page.on("request", (request) => /\/v1\/inbox(\?|\/totals)/.test(request.url()) && lists.push(request.url()));
  // It does not ask as long as nothing happens.
  await until(async () => {
    lists.length = 0;
    await open.page.waitForTimeout(6_000);
    return lists.length === 0;
  }, "the page only listens");

  const began = await badge(open);
  // Without notices it would take seconds: a machine that does much else may be slow once, and not thrice.
  const took = [];
  const asks = async (tool, args) => {
    const asking = await suspends(tool, args);
    const told = Date.now();
    await open.row(asking).waitFor();
    took.push(Date.now() - told);
    return asking;
  };
  const first = await asks(send, { to: "ada" });
  await until(async () => (await badge(open)) === began + 1, "the badge counts it");
  const second = await asks(send, { to: "bob" });
  const third = await asks(pay, { eur: 3 });
  assert.ok(Math.min(...took) < 4_000, `they are shown ${took.join(", ")} ms after the runs have asked`);
  await until(async () => (await badge(open)) === began + 3, "the badge counts all");

  await open.choose("inbox-by-tool", send);
  await until(async () => (await open.row(third).count()) === 0 && (await open.at("inbox-row").count()) === 2, "the tool is filtered by");
  await open.choose("inbox-by-asked", "older:604800");
  await open.at("inbox-empty").waitFor(); // none of them is as old
  await open.shot("43-filtered");
  await open.at("inbox-unfiltered").click();
  await open.row(third).waitFor();
  assert.deepEqual(await barriers(open.page), []);

  assert.equal(await open.at("bulk").count(), 0, "nothing is said of several as long as none is chosen");
  await open.row(third).getByTestId("inbox-choose").check();
  await open.choose("bulk-select", `tool:${send}`);
  assert.ok(await open.row(first).getByTestId("inbox-choose").isChecked());
  assert.ok(!(await open.row(third).getByTestId("inbox-choose").isChecked()));
  // What is not shown any more is not chosen any more.
  await open.choose("inbox-by-tool", pay);
  await until(async () => (await open.at("inbox-row").count()) === 1, "the other tool is filtered by");
  await open.choose("inbox-by-tool", "");
  await open.row(first).waitFor();
  assert.equal(await open.page.getByTestId("inbox-choose").and(open.page.locator(":checked")).count(), 0);
  for (const of of [first, second]) await open.row(of).getByTestId("inbox-choose").check();
  // By keys: x takes one out and in again, and A asks about all.
  await open.pick(first);
  await open.page.keyboard.press("x");
  await until(async () => !(await open.row(first).getByTestId("inbox-choose").isChecked()), "x takes it out");
  await open.page.keyboard.press("x");
  await until(() => open.row(first).getByTestId("inbox-choose").isChecked(), "and in again");
  await open.page.keyboard.press("Shift+A");
  await open.at("bulk-asks").waitFor();
  const focused = (hook) => open.page.evaluate((hook) => document.activeElement?.dataset.testid === hook, hook);
  await until(() => focused("bulk-send"), "its button has the focus");
  await open.page.keyboard.press("Escape");
  await until(async () => (await open.at("bulk-asks").count()) === 0 && (await focused("inbox-pick")), "Escape closes it, and the focus is back at the question");
  await open.page.keyboard.press("a");
  await open.at("bulk-asks").waitFor();
  assert.match(await open.at("bulk-asks").textContent(), /^Approve 2 questions: each call is carried out with the arguments as shown\.$/);
  assert.match((await open.at("bulk-one").allTextContents()).join(), /^Send .*ada.*ada.*Send .*bob.*bob/, "each is named, with what it is carried out with");
  assert.match(await open.at("bulk").textContent(), /asked by ann(?!.*asked by)/, "who asks all of it is said once");
  assert.deepEqual(await barriers(open.page), []);
  await open.shot("44-bulk-asks");
  await open.click("bulk-leave");
  // Enter in the reason leads to the button: another one sends it.
  await open.decide(open.at("bulk-decline"));
  await open.fill("bulk-why", "too dear");
  await open.takes(open.at("bulk-send"));
  await open.page.keyboard.press("Enter");
  await until(() => focused("bulk-send"), "Enter leads from the reason to the button");
  assert.ok(await open.at("bulk-asks").isVisible(), "and sends nothing");
  // A click that comes with the question is none.
  await open.click("bulk-leave");
  assert.ok(await open.page.evaluate(async () => {
    const at = (hook) => document.querySelector(`[data-testid="${hook}"]`);
    const shown = async (hook) => {
      for (let i = 0; i < 100 && !at(hook); i++) await null;
      return at(hook);
    };
    at("bulk-approve").click();
    (await shown("bulk-send")).click();
    return (await shown("too-soon")) !== null;
  }), "it says that it was too soon");
  // The network fails after the server has taken it: what is sent again is the same request.
  const keys = [];
  await context.route("**/v1/inbox/resolve", async (route) => {
    keys.push(route.request().postDataJSON().idempotencyKey);
    if (keys.length > 1) return route.continue();
    await route.fetch();
    return route.abort();
  });
  open.serverMayDie = true;
  await pressed(open, "Enter", async () => (await open.at("bulk-asks").count()) === 0, "Enter answers them");
  // It waits as a single answer does, and comes back as it was chosen.
  await open.at("inbox-undo").waitFor();
  assert.deepEqual(keys, []);
  await open.shot("45-bulk-held");
  await open.at("inbox-undo").click();
  for (const of of [first, second]) await until(() => open.row(of).getByTestId("inbox-choose").isChecked(), "it is chosen again");
  await open.decide(open.at("bulk-approve"));
  await open.decide(open.at("bulk-send"));
  await open.at("bulk-unanswered").waitFor();
  await open.shot("45-bulk-unanswered");
  await open.decide(open.at("bulk-send"));
  await until(async () => (await open.at("inbox-said").textContent()) === "2 approved.", "both are approved");
  assert.deepEqual(await barriers(open.page), []);
  open.serverMayDie = false;
  assert.ok(keys.length === 2 && keys[0] === keys[1], "it is sent again under the same key");
  await until(async () => (await open.row(first).count()) === 0 && (await open.row(second).count()) === 0, "both are gone");
  await until(async () => (await badge(open)) === began + 1, "the badge counts one");
  await until(async () => (await effects(send)).length === 2, "each is carried out");
  assert.deepEqual((await effects(send)).map(({ to }) => to).sort(), ["ada", "bob"]);

  await open.click("view-resolved");
  const decided = (of) => open.page.locator(`[data-testid="decided"][data-thread-id="${of.threadId}"]`);
  for (const of of [first, second]) {
    await decided(of).waitFor();
    assert.equal(await decided(of).getByTestId("decided-how").textContent(), "Approved");
    assert.equal(await decided(of).getByTestId("decided-by").textContent(), "ann in the inbox");
  }
  // The whole row opens what is known of it.
  await decided(first).getByTestId("decided-by").click();
  assert.match(await decided(first).getByTestId("decided-args").textContent(), /To\s*ada/);
  assert.deepEqual(await unseen(open.page), [], "all that was decided can be seen");
  assert.deepEqual(await barriers(open.page), []);
  await open.shot("46-resolved");
  const [file] = await Promise.all([open.page.waitForEvent("download"), open.click("resolved-csv")]);
  const table = await readFile(await file.path(), "utf8");
  assert.ok(table.includes(first.threadId) && table.includes(second.threadId) && !table.includes(third.threadId));
  const [lines] = await Promise.all([open.page.waitForEvent("download"), open.click("resolved-ndjson")]);
  const records = (await readFile(await lines.path(), "utf8")).trim().split("\n").map((line) => JSON.parse(line));
  assert.ok(records.some(({ threadId, user }) => threadId === first.threadId && user === "ann"));

  // And one by one, while others answer elsewhere.
  await open.click("view-open");
  await open.decide((await open.pick(third)).getByTestId("decline"));
  await until(async () => (await badge(open)) === began, "the badge is as it was");
  await open.click("view-resolved");
  await decided(third).waitFor();
  assert.equal(await decided(third).getByTestId("decided-how").textContent(), "Declined");
  await open.page.setViewportSize({ width: PHONE, height: 844 });
  assert.ok(await open.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "it fits a phone");
  await open.shot("47-resolved-phone");
});

test("by single keys: one goes through what waits, approves, declines and edits, and letters that are typed are letters", async () => {
  const context = await person();
  const tool = unique("pay");
  const threads = [];
  for (const eur of [1, 2, 3]) threads.push(await suspends(tool, { eur }));
  const open = await inbox(context);
  await open.at("inbox-filters").locator(":scope > summary").click();
  const { keyboard } = open.page;
  await until(async () => (await open.at("inbox-row").count()) >= 3, "they are there");
  await open.at("inbox-by-thread").click();
  await keyboard.type("adejk"); // they are letters here
  assert.equal(await open.at("inbox-by-thread").inputValue(), "adejk");
  await open.fill("inbox-by-thread", "");
  await open.choose("inbox-by-tool", tool);
  await filtered(open, 3);
  await until(async () => (await open.at("inbox-item").count()) === 1, "the first is open");
  const picked = () => open.page.evaluate(() => document.querySelector('[data-picked="true"]')?.dataset.threadId);
  assert.equal(await picked(), threads[0].threadId);
  await open.page.evaluate(() => document.activeElement.blur());
  await keyboard.press("j");
  await until(async () => (await picked()) === threads[1].threadId, "j goes on");
  await keyboard.press("k");
  await until(async () => (await picked()) === threads[0].threadId, "k goes back");
  await keyboard.press("ArrowDown");
  await until(async () => (await picked()) === threads[1].threadId, "an arrow goes on, too");
  await keyboard.press("Enter");
  await until(() => open.page.evaluate(() => document.activeElement.matches(".inbox-detail")), "Enter opens it");
  await open.row(threads[0]).getByTestId("inbox-pick").focus();
  await keyboard.press("Enter");
  await until(async () => (await picked()) === threads[0].threadId, "and another one");
  await keyboard.press("j");
  await keyboard.press("k");
  await until(() => open.page.evaluate(() => document.activeElement.closest('[data-picked="true"]') !== null), "the focus goes along");
  assert.deepEqual(await barriers(open.page), []);
  await open.shot("44-inbox-keys");
  // A key that comes too soon behind the way to a question waits until it has been seen, unless another act follows.
  const presses = (key, done, what) => pressed(open, key, done, what);
  await keyboard.press("j");
  await keyboard.press("a");
  await keyboard.press("k");
  await until(async () => (await picked()) === threads[0].threadId, "k goes back again");
  await calm(open);
  assert.equal(await open.at("inbox-row").count(), 3, "what another key followed on is not done");
  await keyboard.press("k");
  await calm(open);
  for (const key of ["j", "k", "a", "k"]) await keyboard.press(key);
  await open.at("too-soon").waitFor();
  await calm(open);
  assert.equal(await open.at("inbox-row").count(), 3, "nor at the end of the list, where that is said");
  await keyboard.press("j");
  await keyboard.press("k");
  await keyboard.press("a");
  await until(async () => (await itemOf(open, threads[0]).count()) === 0, "a approves");
  await until(async () => (await effects(tool)).length === 1, "it is carried out");
  await until(async () => (await picked()) === threads[1].threadId, "the next one comes by itself");
  await presses("d", () => open.page.evaluate(() => document.activeElement.dataset.testid === "field-reason"), "d asks for a reason");
  await presses("Enter", async () => (await itemOf(open, threads[1]).count()) === 0, "Enter declines");
  await presses("e", async () => (await open.at("edit /eur").count()) === 1, "e edits");
  await until(() => open.at("edit /eur").evaluate((element) => element === document.activeElement), "the editor has the focus");
  await keyboard.press("ControlOrMeta+a");
  await keyboard.type("30");
  await presses("Control+Enter", async () => (await itemOf(open, threads[2]).count()) === 0, "and is sent");
  await until(async () => (await effects(tool)).length === 2, "with what was edited");
  assert.deepEqual((await effects(tool)).map(({ eur }) => eur), [1, 30]);
  await open.click("view-resolved");
  const edited = open.page.locator(`[data-testid="decided"][data-thread-id="${threads[2].threadId}"]`);
  assert.equal(await edited.getByTestId("changes").textContent(), "EUR: 3 → 30", "the record says what was edited");
  await open.shot("47-resolved-edits");
  await open.click("view-open");

  // Who wants no such keys turns them off, for good; on a phone there is the list, and then what is asked.
  const more = await suspends(tool, { eur: 4 });
  await open.row(more).waitFor();
  await open.page.evaluate(() => document.activeElement.blur());
  await keyboard.press("?");
  await open.at("inbox-keys-on").uncheck();
  await open.pick(more);
  await calm(open);
  const sent = [];
  open.page.on("request", (request) => request.method() === "POST" && sent.push(request.url()));
  await keyboard.press("a");
  await open.page.evaluate(() => fetch("/icon.svg"));
  assert.deepEqual([await open.at("too-soon").count(), sent, await itemOf(open, more).count()], [0, [], 1], "it is a letter");
  await open.page.setViewportSize({ width: PHONE, height: 844 });
  await until(async () => (await open.at("inbox-row").count()) === 0, "the list gives way");
  await itemOf(open, more).waitFor();
  await open.shot("44-inbox-detail-phone");
  await open.click("inbox-back");
  await open.row(more).waitFor();
  assert.equal(await open.at("inbox-item").count(), 0);
  assert.ok(await open.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "it fits a phone");
  const focused = () => open.page.evaluate(() => document.activeElement.closest('[data-testid="inbox-row"]')?.dataset.threadId);
  assert.equal(await focused(), more.threadId, "one is where one was");
  // Who turns the device goes on where they were.
  await (await open.pick(more)).getByRole("link").focus();
  for (const width of [900, PHONE]) await open.page.setViewportSize({ width, height: 844 });
  await itemOf(open, more).waitFor();
  await open.at("inbox-back").waitFor();
  assert.ok(await open.page.evaluate(() => document.activeElement.matches('[data-testid="inbox-item"] a')), "the focus stays");
  await open.click("inbox-back");
  await open.decide((await open.pick(more)).getByTestId("decline"));
  await until(async () => (await open.at("inbox-said").allTextContents()).join().includes("Declined"), "it is declined there");
});

/** Waits until the tool that was chosen is filtered by: so many are left. */
const filtered = (tab, rows) => until(async () =>
  (await tab.at("inbox-by-tool").getAttribute("data-value")) !== "" && (await tab.at("inbox-row").count()) === rows, "the filter is applied");

/** Waits until what is shown takes decisions, and nothing is said of one that it did not take. */
const calm = (tab) => until(() => tab.page.evaluate(() =>
  document.querySelector('.inbox-detail .guarded[aria-disabled], [data-testid="too-soon"]') === null), "what is there has been seen");

/** Presses a key, again where it was too soon for it, until it has done something. */
async function pressed(tab, key, done, what) {
  for (let again = true; again; ) {
    await calm(tab);
    await tab.page.keyboard.press(key);
    await until(async () => (again = (await tab.at("too-soon").count()) > 0) || done(), what);
  }
}

/** Answers of this browser wait until they are let go, for as long as a machine that does much else takes to look at them. */
const waits = (context) => context.addInitScript(() => {
  const [set, clear] = [window.setTimeout, window.clearTimeout];
  const held = new Map();
  window.setTimeout = (call, ms, ...rest) => {
    const id = set(ms === 5_000 ? () => {} : call, ms, ...rest);
    if (ms === 5_000) held.set(id, call);
    return id;
  };
  window.clearTimeout = (id) => {
    held.delete(id);
    clear(id);
  };
  window.letGo = () => {
    const calls = [...held.values()];
    held.clear();
    for (const call of calls) call();
  };
});

test("an answer can be taken back before it is sent, and is sent once, also by a page that goes", async () => {
  const tool = unique("pay");
  const threads = [];
  for (const eur of [1, 2, 3, 4]) threads.push(await suspends(tool, { eur }));
  const [reloaded, closed, first, last] = threads;
  const context = await person();
  await waits(context);
  const open = await inbox(context);
  await open.choose("inbox-by-tool", tool);
  await filtered(open, 4);
  await open.page.evaluate(() => document.activeElement.blur());
  const { keyboard } = open.page;
  const posts = [];
  open.page.on("request", (request) => request.url().includes("/resolve") && posts.push(request.postDataJSON().entries[0].payload));
  const undo = open.at("inbox-undo");
  const gone = (of) => async () => (await itemOf(open, of).count()) + (await open.row(of).count()) === 0;

  await pressed(open, "a", gone(reloaded), "a approves");
  await until(() => drawn(undo), "it can be taken back");
  assert.match(await open.page.getByTestId("answered").first().innerText(), /^Approved “Pay .*EUR 1[^]*Undo$/);
  await open.shot("48-inbox-undo");
  assert.deepEqual(await barriers(open.page), []);
  await open.click("inbox-row-undo");
  await itemOf(open, reloaded).waitFor();
  assert.equal(await undo.count(), 0);
  assert.deepEqual([posts, await effects(tool)], [[], []]);
  // Whoever answers and leaves has answered.
  const paid = async () => (await effects(tool)).map(({ eur }) => eur);
  await pressed(open, "a", gone(reloaded), "a approves again");
  await undo.waitFor();
  await open.page.reload();
  await until(async () => (await paid()).length === 1, "it is sent by the page that is loaded anew");
  await open.row(first).waitFor();
  await until(async () => (await open.row(reloaded).count()) === 0, "it is answered");
  const leaving = await inbox(await person());
  await leaving.row(closed).waitFor();
  await leaving.decide((await leaving.pick(closed)).getByTestId("approve"));
  await leaving.at("inbox-undo").waitFor();
  await leaving.page.close();
  await until(async () => (await paid()).length === 2, "it is sent by a tab that is closed");
  assert.deepEqual(await paid(), [1, 2], "each once");
  posts.length = 0;

  await open.choose("inbox-by-tool", tool);
  await filtered(open, 2);
  await open.pick(last);
  await keyboard.press("j");
  await until(async () => (await open.at("inbox-said").textContent()).includes("last one"), "it says that this is the end");
  await open.pick(first);
  await pressed(open, "d", () => drawn(open.at("inbox-leave")), "d asks for a reason");
  await keyboard.type("a dear jam"); // keys, elsewhere
  await open.shot("48-inbox-why");
  await pressed(open, "Enter", gone(first), "Enter declines");
  // Each waits for its own time: the latest is taken back first.
  await pressed(open, "a", gone(last), "a approves the last");
  assert.match(await open.at("inbox-said").textContent(), /2 answers wait/);
  await open.shot("48-inbox-two-wait");
  await keyboard.press("u");
  await itemOf(open, last).waitFor();
  await keyboard.press("u");
  await itemOf(open, first).waitFor();
  assert.deepEqual(posts, []);
  await pressed(open, "d", () => drawn(open.at("inbox-leave")), "d asks for a reason again");
  await pressed(open, "Enter", gone(first), "and declines again");
  await pressed(open, "a", gone(last), "a approves the last again");
  // Whoever looks at another place is told there, and can take it back still.
  await open.click("view-resolved");
  assert.match(await open.at("inbox-said").textContent(), /2 answers wait/);
  await open.click("go-chat");
  await open.at("composer").waitFor();
  assert.match(await open.at("inbox-said").textContent(), /2 answers wait/);
  assert.equal(await open.at("inbox-undo").count(), 1, "it is told once");
  await open.shot("48-inbox-undo-elsewhere");
  await open.click("inbox-undo");
  await until(async () => /Declined/.test(await open.at("inbox-said").textContent()), "the first still waits");
  assert.deepEqual(posts, []);
  await open.page.evaluate(() => letGo());
  await until(() => posts.length === 1, "it is sent there");
  await open.click("go-inbox");
  await open.pick(last);
  await pressed(open, "a", gone(last), "a approves what was taken back");
  await open.page.evaluate(() => letGo());
  await until(() => posts.length === 2, "and that is sent");
  assert.deepEqual(posts, [{ approved: false, reason: "a dear jam" }, { approved: true }]);
  await until(async () => (await paid()).length === 3, "one is carried out");
  assert.deepEqual(await paid(), [1, 2, 4]);
  await open.click("view-resolved");
  const why = open.page.locator(`[data-testid="decided"][data-thread-id="${first.threadId}"]`).getByTestId("decided-why");
  await until(async () => (await why.allTextContents()).join() === "Reason: a dear jam", "the record names the reason");
});

test("the badge, the heading and the list count the same while a question expires and an answer is held", async () => {
  const [soon, asking] = [await suspendsAt("/expire 6", BOB), await suspends(unique("send"), { to: "ada" })];
  const open = await inbox(await person());
  await open.row(soon).waitFor();
  await open.row(asking).waitFor();
  /** Looks until it is so, and each time the numbers are the same. */
  const same = (so, what) => until(async () => {
    const { badge, heading, rows, found } = await open.page.evaluate((so) => {
      const at = (hook) => document.querySelector(`[data-testid="${hook}"]`);
      const number = (text) => Number(text ?? 0);
      const rows = [...document.querySelectorAll("tr")];
      const late = rows.indexOf(at("inbox-late"));
      return {
        badge: number(at("inbox-badge")?.dataset.total), heading: number(at("inbox-total")?.textContent.match(/^[0-9]+/)?.[0]),
        rows: rows.filter((row, i) => row.matches(".inbox-row") && (late < 0 || i < late)).length, found: document.querySelector(so) !== null,
      };
    }, so);
    assert.deepEqual([badge, heading], [rows, rows], what);
    return found;
  }, what);
  await open.decide((await open.pick(asking)).getByTestId("approve"));
  await same('[data-testid="inbox-said"][data-held="true"]', "an answer is held");
  await same(`[data-testid="inbox-late"] ~ tr[data-thread-id="${soon.threadId}"]`, "one has expired");
  await same('[data-testid="inbox-said"][data-held="false"]', "the answer is sent");
  const listed = await badge(open);
  await until(async () => {
    const { total, expired } = await (await fetch(`${guarded}/v1/inbox/totals`, { headers: { Authorization: `Bearer ${ANN}` } })).json();
    return total === listed && expired >= 1;
  }, "the server counts the same");
  await open.page.goto(`${guarded}/`);
  await until(async () => (await badge(open)) === listed, "the badge says it elsewhere, too");
});

test("what cannot be chosen says why, all are named, and a filter that nothing fits is named and cleared", async () => {
  const tool = unique("fold");
  const form = await suspendsAt("/form");
  for (const eur of [1, 2, 3, 4, 5, 6]) await suspends(tool, { eur });
  const open = await inbox(await person());
  const says = () => until(async () => /more than a yes or no/.test((await open.at("inbox-said").allTextContents()).join()), "it says why");
  await open.row(form).waitFor();
  await open.pick(form);
  await open.page.evaluate(() => document.activeElement.blur());
  await open.page.keyboard.press("x");
  await says();
  await open.page.reload();
  await open.row(form).getByTestId("inbox-barred").click({ force: true }); // it says that it cannot be chosen
  await says();
  assert.ok(!(await open.row(form).getByTestId("inbox-barred").isChecked()));
  await open.choose("inbox-by-tool", tool);
  await filtered(open, 6);
  await open.at("inbox-choose-all").check();
  const { height, width } = open.page.viewportSize();
  await open.page.setViewportSize({ width, height: 320 });
  await open.decide(open.at("bulk-approve"));
  await until(async () => (await open.at("bulk-one").count()) === 6, "all are named, in a box that scrolls");
  assert.deepEqual(await barriers(open.page), []);
  assert.ok(await open.at("bulk-send").isDisabled(), "the end of the list is to be seen first");
  await open.at("bulk-unread").waitFor();
  assert.equal(await open.page.evaluate(() => document.activeElement.dataset.testid), "bulk-named");
  await open.page.keyboard.press("End");
  await until(() => open.at("bulk-send").isEnabled(), "it was seen");
  await open.page.setViewportSize({ width, height });
  await open.click("bulk-leave");
  await open.at("inbox-filters").locator(":scope > summary").click();
  await open.fill("inbox-by-thread", "no-such-chat");
  await until(async () => (await open.at("inbox-empty").allTextContents()).join().includes(`No question fits: Tool ${tool}, Chat id no-such-chat.`), "it says what is filtered by");
  await open.page.keyboard.press("Escape");
  await open.click("inbox-clear");
  await open.row(form).waitFor();
  assert.equal(await open.page.evaluate(() => document.activeElement.tagName), "H2");
});

test("on a phone the list and the question are two screens, between which the way back leads, and a finger hits what is there", async () => {
  const asking = await suspends(unique("send"), { to: "ada" });
  const open = await inbox(await person({ viewport: { width: PHONE, height: 844 } }));
  const fits = async (where) => assert.deepEqual(await open.page.evaluate(() => {
    const hit = (element) => element.closest("label, tr.inbox-row") ?? (element.matches(".row-pick") ? element.closest("tr") : element);
    const small = [...document.querySelectorAll(":is(main, .bar) :is(a, button, input, select, summary)")].filter((one) =>
      one.checkVisibility({ visibilityProperty: true }) && hit(one).getBoundingClientRect().height < 40);
    return [document.documentElement.scrollWidth <= innerWidth, small.map((one) => one.dataset.testid ?? one.outerHTML)];
  }), [true, []], where);
  const item = itemOf(open, asking);
  await open.row(asking).waitFor();
  await fits("the list");
  await open.row(asking).getByTestId("inbox-pick").click();
  await item.waitFor();
  await fits("the question");
  await open.page.goBack();
  await open.row(asking).waitFor();
  assert.equal(await item.count(), 0);
  await open.page.goForward();
  await item.waitFor();
  // What was asked is there again after a look at its chat, and the button leads back as the browser does.
  await item.getByRole("link").first().click();
  await open.asked("tool_call");
  await open.page.goBack();
  await item.waitFor();
  await open.click("inbox-back");
  await open.row(asking).waitFor();
  await until(() => open.page.evaluate(() => history.state === null), "the question is not behind one");
  await open.decide((await open.pick(asking)).getByTestId("approve"));
  await until(async () => (await item.count()) === 0, "it is answered");
  // Others may wait, and the next one comes by itself.
  await until(async () => {
    if (await open.at("inbox-back").count()) await open.click("inbox-back");
    return open.at("view-resolved").isVisible();
  }, "the list is there");
  await open.click("view-resolved");
  await open.at("decided").first().waitFor();
  await fits("what was answered");
  await open.at("resolved-filters").locator(":scope > summary").click();
  await open.at("resolved-csv").waitFor();
  await fits("what it is filtered by");
});

test("a key decides about what is in sight alone, and about nothing where the focus is elsewhere", async () => {
  const context = await person({ viewport: { width: 900, height: 640 } });
  const tool = unique("pay");
  const other = await suspends(tool, { eur: 1 });
  const three = await suspendsAt("/parallel 3");
  const open = await inbox(context);
  await open.row(other).waitFor();
  const item = await open.pick(three);
  const cards = item.getByTestId("interrupt");
  let writes = 0;
  open.page.on("request", (request) => void (writes += request.method() === "GET" ? 0 : 1));
  const progress = (words) => async () => (await item.getByTestId("answer-progress").textContent()) === words;
  /** Whether a card's beginning and its button are seen, and not beneath the bar or the foot. */
  const seen = (card) => card.evaluate((element) => {
    const on = (part) => {
      const { x, y, width, height } = part.getBoundingClientRect();
      return [y + 2, y + height - 2].every((at) => at >= 0 && at < innerHeight && part.contains(document.elementFromPoint(x + width / 2, at)));
    };
    return on(element.querySelector("header h2")) && on(element.querySelector('[data-testid="approve"]'));
  });
  await until(async () => {
    await pressed(open, "a", async () => writes > 0 || (await seen(cards.nth(0))), "a leads there, or approves");
    return writes > 0;
  }, "a approves the first");
  await until(progress("1 of 3 answered"), "one is answered");
  await open.page.setViewportSize({ width: 900, height: 300 });
  await open.page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
  assert.ok(!(await seen(cards.nth(1))), "the next one is out of sight");
  await pressed(open, "a", () => seen(cards.nth(1)), "it is only brought into sight");
  await calm(open);
  assert.ok(await progress("1 of 3 answered")());
  assert.equal(writes, 1);
  await open.page.setViewportSize({ width: 900, height: 640 });

  await pressed(open, "d", () => cards.nth(1).getByTestId("field-reason").evaluate((field) => field === document.activeElement), "d asks for a reason");
  await until(async () => {
    await pressed(open, "Enter", async () => writes > 1 || (await seen(cards.nth(1))), "Enter leads there, or declines");
    return writes > 1;
  }, "Enter declines the second");
  await until(progress("2 of 3 answered"), "two are answered");
  assert.equal(await cards.nth(1).getByTestId("decision").textContent(), "Declined");

  const nothing = async (where) => {
    await calm(open);
    for (const key of ["a", "d", "e"]) await open.page.keyboard.press(key);
    await open.page.evaluate(() => fetch("/icon.svg"));
    assert.equal(await open.at("too-soon").count() + await open.at("arg-edits").count() + writes, 2, where);
  };
  await cards.nth(2).getByTestId("approve").scrollIntoViewIfNeeded();
  await open.row(other).getByTestId("inbox-pick").evaluate((row) => row.focus({ preventScroll: true }));
  await nothing("another row has the focus");
  await open.row(other).getByTestId("inbox-choose").evaluate((box) => box.focus({ preventScroll: true }));
  await nothing("a box to tick has the focus");
  await open.row(other).getByTestId("inbox-choose").check();
  await open.decide(open.at("bulk-approve"));
  await open.at("bulk-asks").waitFor();
  await nothing("several are asked about");
  await open.page.evaluate(() => document.activeElement.blur());
  await nothing("several are asked about, without any focus");
  await open.click("bulk-leave");
  await open.row(other).getByTestId("inbox-choose").uncheck(); // a key means what is chosen
  await open.page.evaluate(() => document.activeElement.blur());
  await until(async () => {
    await pressed(open, "a", async () => (await progress("3 of 3 answered")()) || (await seen(cards.nth(2))), "a leads there, or approves");
    return progress("3 of 3 answered")();
  }, "a approves the last");
  // All of them are looked over, and sent by another press.
  await pressed(open, "d", async () => /Change its answer first/.test((await open.at("inbox-said").allTextContents()).join()), "another key says why it does nothing");
  await until(async () => {
    await pressed(open, "a", async () => (await item.count()) === 0 || (await open.at("submit-answers").isVisible()), "a leads there, or sends them");
    return (await item.count()) === 0;
  }, "a sends them");
  await until(() => writes === 4, "the thread goes on");
});

test("what cannot be undone is marked, left out of what is chosen, and approved by a second key", async () => {
  const tool = "delete_database";
  const gone = await suspendsAt(`/delete ${unique("staging")}`);
  const other = await suspends(tool, { name: "scratch" });
  const open = await inbox(await person());
  await open.choose("inbox-by-tool", tool);
  await filtered(open, 2);
  await open.row(gone).getByTestId("destructive").waitFor();
  assert.equal(await open.row(other).getByTestId("destructive").count(), 0);
  assert.equal(await open.at("inbox-choose").count(), 1, "one can be chosen");
  await open.pick(gone);
  await itemOf(open, gone).getByTestId("destructive").waitFor();
  await open.page.evaluate(() => document.activeElement.blur());
  await calm(open);
  await open.page.keyboard.press("a");
  await until(async () => /A second a, or Enter, approves it/.test((await open.at("inbox-said").allTextContents()).join()), "it says that it takes two");
  assert.equal(await itemOf(open, gone).count(), 1, "one key decides nothing");
  assert.equal(await open.page.evaluate(() => document.activeElement.dataset.testid), "approve");
  await open.shot("49-cannot-be-undone");
  await pressed(open, "a", async () => (await itemOf(open, gone).count()) === 0, "the second approves");
});

test("what is folded is unfolded by a key before it is approved", async () => {
  const tool = unique("long");
  const asking = await suspends(tool, { text: "word ".repeat(2_000) });
  const open = await inbox(await person());
  await open.row(asking).waitFor();
  const item = await open.pick(asking);
  const whole = item.getByTestId("inbox-whole");
  await item.getByTestId("approve").or(whole).first().waitFor();
  if (await whole.count()) await whole.click();
  await item.getByTestId("approve").waitFor();
  await open.page.evaluate(() => document.activeElement.blur());
  const unfold = item.getByTestId("unfold");
  const unfolded = async () => (await unfold.getAttribute("aria-expanded")) === "true";
  await until(async () => {
    await pressed(open, "a", () => true, "a");
    return (await item.count()) === 0 || unfolded();
  }, "a unfolds it");
  assert.deepEqual([await item.count(), await effects(tool)], [1, []], "and approves nothing");
  await until(async () => {
    if ((await item.count()) === 0) return true;
    await pressed(open, "a", () => true, "a");
    return false;
  }, "the next ones lead to its end, and approve it");
  await until(async () => (await effects(tool)).length === 1, "it is carried out");
});

test("what the same thread asks next comes after what others ask, and what was typed stays while another is looked at", async () => {
  const twice = await suspendsAt("/twice");
  const [form, other] = [await suspendsAt("/form"), await suspendsAt("/form")];
  const open = await inbox(await person());
  await open.row(other).waitFor();
  await open.decide((await open.pick(twice)).getByTestId("approve"));
  await until(async () => (await open.at("inbox-item").count()) > 0 && (await itemOf(open, twice).count()) === 0, "another one comes in its place");
  await open.row(twice).waitFor();
  await open.decide((await open.pick(twice)).getByTestId("approve"));
  await until(async () => (await itemOf(open, twice).count()) + (await open.row(twice).count()) === 0, "it is over");

  const revenue = (of) => itemOf(open, of).getByTestId("field-revenue");
  await open.pick(form);
  await revenue(form).fill("1.25");
  await open.pick(other);
  await revenue(other).waitFor();
  assert.ok(!(await itemOf(open, form).isVisible()));
  assert.equal(await revenue(other).inputValue(), "", "each has its own");
  await open.pick(form);
  assert.equal(await revenue(form).inputValue(), "1.25");
  await open.page.setViewportSize({ width: PHONE, height: 844 });
  await open.click("inbox-back");
  await open.pick(other);
  await open.click("inbox-back");
  await open.pick(form);
  assert.equal(await revenue(form).inputValue(), "1.25", "on a phone, too");
});

test("a key that leads into a form says the way out, and Escape takes it", async () => {
  const [form, other] = [await suspendsAt("/form"), await suspendsAt("/form")];
  const open = await inbox(await person());
  await open.row(other).waitFor();
  const item = await open.pick(form);
  const { keyboard } = open.page;
  const focused = (hook) => open.page.evaluate((name) => document.activeElement?.dataset.testid === name, hook);
  await item.getByTestId("field-quarter").waitFor();
  await pressed(open, "a", () => focused("field-quarter"), "a leads into the form");
  assert.equal(await open.at("inbox-said").textContent(), "Fill in the form first.");
  await until(() => drawn(open.at("inbox-leave")), "it says how to get out");
  await item.getByTestId("field-year").fill("2026");
  await keyboard.press("j");
  assert.equal(await itemOf(open, form).getByTestId("field-year").inputValue(), "2026j", "in a field a key is typed");
  await keyboard.press("Escape");
  assert.ok(await focused("inbox-pick"), "Escape leaves it");
  assert.equal(await open.at("inbox-leave").count(), 0);
  await keyboard.press("j");
  await itemOf(open, other).waitFor();
  await keyboard.press("k");
  assert.equal(await itemOf(open, form).getByTestId("field-year").inputValue(), "2026j", "what was typed is kept");
  // Of a filter the same.
  await open.at("inbox-filters").locator(":scope > summary").click();
  await open.at("inbox-by-runId").focus();
  await keyboard.press("Escape");
  await keyboard.press("j");
  await itemOf(open, other).waitFor();
});

test("the inbox says who asks and until when, and what expired can only be given up", async () => {
  const [soon, late, own] = [await suspendsAt("/expire 3000", BOB), await suspendsAt("/expire 1", BOB), await suspendsAt("/confirm Mine?")];
  const open = await inbox(await person());
  await open.row(own).waitFor();
  await open.choose("inbox-by-user", "bob");
  await until(async () => (await open.row(own).count()) === 0 && (await open.row(soon).count()) === 1, "the menu has who asks");
  await open.choose("inbox-by-due", "0");
  await until(async () => (await open.row(soon).count()) === 0 && (await open.row(late).count()) === 1, "and what is overdue");
  await open.row(await suspendsAt("/expire 3", BOB)).waitFor(); // it is not yet, and comes when it is
  await open.choose("inbox-by-due", "3600");
  await open.row(soon).waitFor();
  await open.choose("inbox-by-user", "");
  await open.choose("inbox-by-due", "");
  await open.row(own).waitFor();
  for (const [asking, due] of [[soon, /^due in \d+ min$/], [late, /^expired$/]]) {
    await open.row(asking).waitFor();
    const item = await open.pick(asking);
    for (const where of [open.row(asking), item]) {
      const times = where.locator(".tag", { hasText: /due|expired/ });
      await until(async () => due.test(await times.textContent()), `it says ${due}, once`);
      assert.equal(await where.getByTestId("inbox-asker").textContent(), "bob");
      assert.ok((await drawn(where.getByTestId("inbox-asker"))) && (await drawn(times)));
    }
  }
  const card = itemOf(open, late).getByTestId("interrupt");
  assert.deepEqual(await card.getByRole("button").allTextContents(), ["Close"], "it has no button that does nothing");
  assert.deepEqual([await unseen(open.page), await barriers(open.page)], [[], []]);
  await open.shot("48-inbox-expired");
  await open.decide(card.getByTestId("cancel"));
  await until(async () => (await open.row(late).count()) === 0, "it is given up");
});

test("an approver reads the chat that asks, and writes nothing into it, or is told that it is not for them", async () => {
  const asking = await suspendsAt("/confirm Deploy?", BOB);
  const ann = await inbox(await person());
  await ann.row(asking).waitFor();
  await (await ann.pick(asking)).getByRole("link").click();
  const chatOf = (tab) => tab.page.locator(`[data-testid="others-chat"]`);
  await until(async () => /\/confirm Deploy\?/.test((await ann.at("message").allTextContents()).join()), "what was said is there");
  assert.ok(await drawn(ann.at("message").first()));
  assert.match(await ann.at("others-asks").textContent(), /Deploy\?/);
  assert.equal(await ann.at("composer").count() + await ann.at("empty").count(), 0, "nothing can be written");
  assert.deepEqual(await barriers(ann.page), []);
  await ann.shot("49-others-chat");
  await ann.page.reload();
  await ann.at("message").first().waitFor();
  await chatOf(ann).getByRole("link", { name: "inbox" }).click();
  await ann.row(asking).waitFor();

  const eve = await inbox(await person(), EVE);
  await eve.row(asking).waitFor();
  await (await eve.pick(asking)).getByRole("link").click();
  await until(() => drawn(eve.at("others-closed")), "it says that the chat is not for Eve");
  assert.equal(await eve.at("composer").count() + await eve.at("empty").count(), 0);
  assert.deepEqual(await barriers(eve.page), []);
  await eve.shot("49-others-closed");
  eve.serverMayDie = true;
  await eve.page.route("**/interrupts/*/messages?*", (route) => route.fulfill({ status: 503, body: "" }));
  await chatOf(eve).getByRole("link", { name: "inbox" }).click();
  // What was said last before the question is for Eve, and whoever cannot load it answers without.
  const led = eve.at("led-to-message");
  const item = await eve.pick(asking);
  await eve.at("led-to-fault").waitFor();
  await eve.page.unroute("**/interrupts/*/messages?*");
  await eve.at("led-to-fault").getByRole("button").click();
  await until(async () => /\/confirm Deploy\?/.test((await led.allTextContents()).join()), "what was said is there");
  assert.deepEqual(await barriers(eve.page), []);
  const place = async (locator) => locator.boundingBox();
  for (const width of [1440, 1280, PHONE]) {
    await eve.page.setViewportSize({ width, height: 900 });
    await until(async () => {
      const [question, said] = await Promise.all([place(item), place(eve.at("led-to"))]);
      return width === 1440 ? said.x >= question.x + question.width : said.y >= question.y + question.height;
    }, `it stands beside the question, or below it where there is no room: ${width}`);
    await eve.shot(`49-led-to-${width}`);
  }
  await eve.page.setViewportSize({ width: 900, height: 1000 });
  await eve.page.route("**/interrupts/*/messages?*", (route) => route.fulfill({ status: 503, body: "" }));
  await eve.page.reload();
  await eve.row(asking).waitFor();
  await eve.pick(asking);
  await eve.at("led-to-fault").waitFor();
  await eve.decide(item.getByTestId("approve"));
  await eve.click("view-resolved");
  const row = eve.page.locator(`[data-testid="decided"][data-thread-id="${asking.threadId}"]`);
  await row.getByTestId("decided-pick").click();
  await row.getByRole("link").click();
  await eve.at("others-closed").waitFor();

  // One's own is the chat as ever.
  const own = await suspendsAt("/confirm Deploy mine?");
  await ann.front();
  await ann.row(own).waitFor();
  await (await ann.pick(own)).getByRole("link").click();
  await ann.asked("confirmation");
  await ann.at("composer").waitFor();
  assert.equal(new URL(ann.page.url()).search, `?thread=${own.threadId}`);
});

test("a call that was approved before in its chat says so when it is asked for again", async () => {
  const tool = unique("pay");
  const text = `/tool ${tool} {"to":"ada"}`;
  const threadId = await sends(ANN, text);
  const open = await inbox(await person());
  await open.row({ threadId }).waitFor();
  const item = await open.pick({ threadId });
  await open.decide(item.getByTestId("approve"));
  await until(async () => (await effects(tool)).length === 1, "it is carried out");
  await sends(ANN, text, threadId);
  await open.row({ threadId }).waitFor();
  await open.pick({ threadId });
  await item.getByTestId("notice").waitFor();
  assert.match(await item.getByTestId("notice").textContent(), /^The same call was already approved in this chat/);
});

test("others are told who looks at a question, and answer it all the same", async () => {
  const oldest = await suspends(unique("send"), { to: "bob" }); // an inbox opens its first question by itself
  const asking = await suspends(unique("send"), { to: "ada" });
  const [ann, eve] = [await inbox(await person()), await inbox(await person(), EVE)];
  const says = async (tab, words, what) => {
    await tab.front();
    await until(async () => (await itemOf(tab, asking).getByTestId("inbox-reviewers").textContent()) === words, what);
  };
  await eve.row(asking).waitFor();
  await eve.pick(asking);
  await says(eve, "", "nobody else looks at it");
  await ann.row(asking).waitFor();
  await ann.pick(asking);
  await says(ann, "eve is looking at this", "Ann is told at once");
  await until(async () => /eve is looking/.test(await ann.row(asking).textContent()), "the list tells it, too");
  await says(eve, "ann is looking at this", "Eve is told of Ann");
  await ann.front();
  // What is told to Ann as she looks may be older than the list, which counts.
  const review = "**/interrupts/review?*";
  await ann.page.route(review, async (route) => {
    const response = await route.fetch();
    await route.fulfill(route.request().method() === "PUT" ? { response, json: { reviewers: [] } } : { response });
  });
  await ann.pick(oldest);
  const old = ann.page.waitForResponse((response) => response.url().includes(`${asking.threadId}/interrupts/review`) && response.request().method() === "PUT");
  await ann.pick(asking);
  await old;
  await ann.page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
  await says(ann, "eve is looking at this", "the list says so");
  await ann.page.unroute(review);
  for (const width of [900, PHONE, 320]) {
    await ann.page.setViewportSize({ width, height: 844 });
    assert.ok(await drawn(itemOf(ann, asking).getByTestId("inbox-reviewers")));
    assert.ok(await ann.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `nothing is wider than ${width} px`);
    assert.deepEqual([await unseen(ann.page), await barriers(ann.page)], [[], []]);
  }
  await ann.page.setViewportSize({ width: 900, height: 844 });
  await ann.shot("50-inbox-reviewers");
  // What is assigned to somebody is so while they look at another one: others read that, and can take it over.
  const reads = (tab, pattern) => until(async () => pattern.test(await tab.row(asking).textContent()), `the list says ${pattern}`);
  await itemOf(ann, asking).getByTestId("inbox-take").click();
  await reads(ann, /assigned to you/);
  await ann.pick(oldest);
  await eve.front();
  await eve.page.reload();
  await eve.row(asking).waitFor();
  await reads(eve, /assigned to ann/);
  assert.equal(await eve.row(asking).getByTestId("inbox-barred").count(), 1, "it is not answered with others");
  await eve.pick(asking);
  await says(eve, "", "nobody else looks at it");
  await itemOf(eve, asking).getByTestId("inbox-take").click();
  await reads(eve, /assigned to you/);
  await ann.front();
  await ann.pick(asking);
  await reads(ann, /assigned to eve/);
  assert.equal(await itemOf(ann, asking).getByTestId("inbox-assignee").textContent(), "assigned to eve");
  await eve.front();
  await itemOf(eve, asking).getByTestId("inbox-take").click();
  await until(async () => !/assigned/.test(await eve.row(asking).textContent()), "Eve has released it");
  await eve.click("view-resolved");
  await says(ann, "", "Eve has left it");
  await eve.front();
  await eve.click("view-open");
  await eve.pick(asking);
  await ann.front();
  await ann.decide(itemOf(ann, asking).getByTestId("approve"));
  await until(async () => (await itemOf(ann, asking).count()) === 0, "Ann's answer is taken");
  await eve.front();
  await until(async () => (await itemOf(eve, asking).count()) === 0, "and Eve is told");
  await ann.front();
  await ann.pick(oldest);
  await ann.decide(itemOf(ann, oldest).getByTestId("approve"));
  await until(async () => (await itemOf(ann, oldest).count()) === 0, "nothing is left for other tests");
});

/** Whether it is there and seen. */
const drawn = async (hook) => (await hook.count()) > 0 && hook.evaluate((element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true }));

test("a sign-in that is somebody else's is not offered", async () => {
  const context = await person();
  const login = `${embedded}/login/t/i-1`;
  await context.route(/\/v1\/inbox(\?|$)/, (route) => route.fulfill({ json: { items: [{
    threadId: "t", namespace: "ann", title: "Theirs", runId: "r", interrupts: [{
      id: "i-1", interrupt: { id: "i-1", reason: "aguiws:auth_required", metadata: { authorizeUrl: login, providerTitle: "Git" } },
    }],
  }] } }));
  await context.route("**/v1/threads/t/interrupts/i-1/login", (route) => route.fulfill({ status: 404, json: { error: { code: "not_found", message: "There is none." } } }));
  const open = await Tab.at(context, `${embedded}/inbox`, undefined, { serverMayDie: true });
  const item = await open.pick({ threadId: "t" });
  await item.getByText("This is for somebody else: it needs their account.").waitFor();
  assert.ok(await item.getByTestId("login").isDisabled());
});

/** What the badge at the inbox's link counts. */
const badge = (tab) => tab.page.evaluate(() => Number(document.querySelector('[data-testid="inbox-badge"]')?.dataset.total ?? 0));
