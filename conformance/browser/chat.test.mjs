// The chat page as a person uses it.

import assert from "node:assert/strict";
import { a, b, DAN, effects, embedded, FAY, guarded, numbers, person, runs, same, sends, signIn, Tab, test, unique, until } from "./lane.mjs";

const texts = (seen, role) => seen.messages.filter((message) => message.role === role).map((message) => message.text.trim());

test("an empty chat offers the commands, and says what does not last", async () => {
  const context = await person();
  const tab = await Tab.open(context, embedded);
  await tab.at("try").first().waitFor();
  assert.deepEqual(await tab.at("try").allTextContents(), ["Send an email to ada@example.com", "Fill in a form with me", "Plan a dinner for four"], "what this server cannot show it does not offer");
  await tab.shot("05-first-page");
  assert.ok(!(await tab.at("steps").isVisible()), "the steps are folded");
  await tab.at("path").locator("summary").click();
  assert.match(await tab.at("steps").innerText(), /Let it propose[^]*Reload the page[^]*--redis[^]*Approve/);
  await tab.shot("05-first-page-steps");
  assert.ok(!(await tab.at("command-button").first().isVisible()), "the commands are folded");
  await tab.at("commands").locator("summary").click();
  await tab.at("command-button").first().waitFor();
  assert.ok((await tab.at("command-button").count()) >= 10);
  await tab.shot("1-empty");
  await tab.front();
  await tab.page.locator('[data-testid="command-button"][data-command="/confirm"]').click();
  await tab.asked("confirmation");
  assert.equal(await tab.at("path").count(), 0, "the steps are those of one question");
  await tab.click("approve");
  await tab.says("Confirmed.");
  await tab.at("next-step").waitFor();
  await tab.say("Send an email to ada@example.com");
  assert.match(await (await tab.asked("tool_call")).innerText(), /Send email to ada@example\.com/);
  await tab.decide(tab.at("approve"));
  await tab.says("is on its way");
  assert.equal(await tab.at("next-step").count(), 0, "it is said of the first yes alone");
});

test("the first question is followed by what to do with it, and a reload shows it again", async () => {
  const tab = await Tab.open(await person(), a);
  await tab.at("try").first().waitFor();
  assert.equal(await tab.at("try").last().textContent(), "Crash halfway and carry on");
  await tab.front();
  await tab.at("try").first().click();
  for (const reload of [false, true]) {
    if (reload) await tab.reload();
    await tab.asked("tool_call");
    await tab.at("path").locator("summary").click();
    await tab.at("steps").waitFor();
    assert.match(await tab.at("steps").innerText(), /^Reload the page[^]*start it again[^]*pkill[^]*Approve/);
    assert.equal(await tab.at("steps").getAttribute("start"), "2", "the first is done");
  }
  await tab.shot("05-first-question");
  await tab.decide(tab.at("approve"));
  await tab.says("is on its way");
  assert.equal(await tab.at("path").count(), 0);
});

test("a chat that an address names and nobody has said anything in is no new one", async () => {
  const context = await person();
  const tab = await Tab.open(context, embedded, "nobody-knows-this");
  await tab.at("no-such-chat").waitFor();
  assert.equal(await tab.at("empty").count(), 0);
  await tab.shot("136-no-such-chat");
  await tab.at("no-such-chat").getByRole("button").click();
  await tab.at("empty").waitFor();
  await tab.reload();
  await tab.at("empty").waitFor();
  assert.equal(await tab.at("no-such-chat").count(), 0, "it was made here");
});

test("text streams, and stays after a reload and in a second tab", async () => {
  const context = await person();
  const tab = await Tab.open(context, a);
  const second = await Tab.open(context, a, tab.threadId);
  await tab.say("/slow 120 40");
  const lengths = new Set();
  await until(async () => lengths.add((await tab.last()).length) && lengths.size > 5, "the text grows");
  await tab.shot("2-streaming");
  await second.says("1 2 3");
  await tab.says("119 120");
  const seen = await same(tab, second);
  assert.deepEqual(texts(seen, "user"), ["/slow 120 40"]);
  assert.deepEqual(texts(seen, "assistant"), [numbers(120)]);
  await tab.say("hello");
  await tab.says("/help lists it");
  await second.says("/help lists it");
  assert.equal((await same(second, tab)).messages.length, 4);
});

test("a page that is reloaded in mid-stream misses nothing and doubles nothing", async () => {
  const context = await person();
  const tab = await Tab.open(context, a);
  const second = await Tab.open(context, a, tab.threadId);
  await tab.say("/slow 80 50");
  for (const upTo of [3, 20, 40, 60]) {
    await tab.says(` ${upTo} `);
    await tab.reload();
  }
  await tab.says("79 80");
  const seen = await same(tab, second);
  assert.deepEqual(seen.messages.map(({ role, text }) => [role, text.trim()]), [["user", "/slow 80 50"], ["assistant", numbers(80)]]);
});

test("a page that is reloaded right after sending has sent once", async () => {
  const context = await person();
  const tab = await Tab.open(context, a);
  await tab.say("/say begun");
  await tab.says("begun");
  for (let i = 0; i < 3; i++) {
    const before = (await tab.seen()).messages.length;
    await tab.say(`/say reload ${i}`);
    await until(async () => (await tab.seen()).messages.length > before, "the message is shown");
    await tab.reload();
    await tab.rest();
  }
  // The page may be at rest because it has not heard of the last run yet.
  await until(async () => {
    const states = (await runs(a, tab.threadId)).map(({ state }) => state);
    return states.length > 0 && states.every((state) => state === "acked");
  }, "what was sent is carried out");
  await tab.reload();
  const seen = await same(tab);
  const asked = texts(seen, "user").slice(1);
  const answered = texts(seen, "assistant").slice(1);
  assert.equal(new Set(asked).size, asked.length, "a message is there twice");
  assert.deepEqual(answered, asked.map((text) => text.replace("/say ", "")));
});

test("a tool call is approved", async () => {
  const tool = unique("pay");
  const context = await person();
  const tab = await Tab.open(context, a);
  const second = await Tab.open(context, a, tab.threadId);
  await tab.say(`/tool ${tool} {"amount":10,"to":"Ada"}`);
  await tab.asked("tool_call");
  await tab.shot("3-approval");
  await same(tab, second);
  await tab.asked("tool_call");
  assert.deepEqual(await effects(tool), []);
  await tab.click("approve");
  await tab.says(`I have called ${tool}.`);
  await tab.shot("4-approved");
  const seen = await same(tab, second);
  const [call] = seen.messages.flatMap((message) => message.calls);
  assert.equal(call.state, "done");
  assert.equal(call.result, null, "its line says all that its result does");
  assert.deepEqual(await effects(tool), [{ amount: 10, to: "Ada" }]);
});

test("a tool call is declined in the second tab", async () => {
  const tool = unique("pay");
  const context = await person();
  const tab = await Tab.open(context, a);
  const second = await Tab.open(context, a, tab.threadId);
  await tab.say(`/tool ${tool} {"amount":10}`);
  await second.asked("tool_call");
  await second.front();
  await second.decide(second.at("decline"));
  await second.says("was declined");
  await tab.says("was declined");
  assert.deepEqual((await same(tab, second)).interrupts, []);
  assert.deepEqual(await effects(tool), []);
  await tab.shot("5-declined");
});

test("a tool call is edited and approved", async () => {
  const tool = unique("pay");
  const tab = await Tab.open(await person(), a);
  await tab.say(`/tool ${tool} {"to":"bob","amount":10,"body":"Dear Bob,\\n\\nhello","urgent":true,"cc":["ann"],"more":{"n":1}}`);
  await tab.asked("tool_call");
  await tab.decide(tab.at("edit"));
  await tab.fill("edit /to", "zoe");
  assert.equal(await tab.at("edit /body").inputValue(), "Dear Bob,\n\nhello");
  await tab.at("edit /urgent").uncheck();
  await tab.fill("edit /cc/0", "eve");
  await tab.fill("edit /amount", "seven");
  await tab.click("approve-edited");
  assert.equal(await tab.at("interrupt").getByRole("alert").innerText(), "Write a number, such as 12.5.");
  await tab.fill("edit /amount", "7");
  await tab.click("args-as-json");
  const typed = await tab.at("args-editor").inputValue();
  await tab.fill("args-editor", typed.replace("7,", "oops,"));
  await tab.click("approve-edited");
  assert.match(await tab.at("interrupt").getByRole("alert").innerText(), /Line 3 lacks a comma/);
  await tab.shot("6-editing");
  assert.deepEqual(await effects(tool), []);
  await tab.fill("args-editor", typed);
  await tab.click("args-as-json");
  assert.equal(await tab.at("edit /cc/0").inputValue(), "eve");
  await tab.click("approve-edited");
  await tab.says(`I have called ${tool}.`);
  await same(tab);
  assert.deepEqual(await effects(tool), [{ to: "zoe", amount: 7, body: "Dear Bob,\n\nhello", urgent: false, cc: ["eve"], more: { n: 1 } }]);
  // What was done is told; what was proposed stands beside it.
  assert.match(await tab.at("tool-card").locator("summary").first().innerText(), / to zoe/);
  assert.match(await tab.at("changes").innerText(), /To\s+zoe\s+was bob/);
  await tab.at("tool-card").locator("summary").first().click();
  assert.match(await tab.at("tool-args").innerText(), /Cc\s+eve/);
  assert.doesNotMatch(await tab.at("tool-args").innerText(), /zoe|bob/, "what the edits say is not said again");
});

test("a question is cancelled, by its button or by another message", async () => {
  const tab = await Tab.open(await person(), a);
  await tab.say("/confirm Really?");
  await tab.asked("confirmation");
  await tab.click("cancel");
  await tab.says("Cancelled.");
  await tab.say("/confirm Really now?");
  await tab.asked("confirmation");
  await tab.say("/say something else");
  await tab.says("something else");
  assert.deepEqual((await same(tab)).interrupts, []);
});

test("a form is filled in", async () => {
  const context = await person();
  const tab = await Tab.open(context, a);
  const second = await Tab.open(context, a, tab.threadId);
  await tab.say("/form");
  await tab.asked("input_required");
  await tab.click("submit-form");
  await tab.page.getByRole("alert").first().waitFor();
  await tab.shot("7-form-incomplete");
  await tab.reload();
  await tab.asked("input_required");
  await tab.front();
  await tab.at("field-quarter").selectOption({ label: "Q3" });
  await tab.fill("field-year", "2026");
  await tab.fill("field-revenue", "12.5");
  await tab.shot("8-form");
  await tab.click("submit-form");
  await tab.says("}");
  assert.deepEqual(JSON.parse(/\{.*\}/.exec(await tab.last())[0]), { quarter: "Q3", year: 2026, revenue: 12.5 });
  await same(tab, second);
});

test("several questions are answered together", async () => {
  const context = await person();
  const tab = await Tab.open(context, a);
  const second = await Tab.open(context, a, tab.threadId);
  await tab.say("/parallel 3");
  const cards = await tab.asked("tool_call", 3);
  await tab.front();
  await tab.decide(cards.nth(0).getByTestId("approve"));
  await tab.decide(cards.nth(1).getByTestId("decline"));
  await until(async () => (await tab.at("answer-progress").textContent()) === "2 of 3 answered", "it says how many are answered");
  await tab.decide(cards.nth(2).getByTestId("approve"));
  await tab.shot("9-parallel");
  await tab.decide(tab.at("submit-answers"));
  await tab.says("task_2 was declined");
  const seen = await same(tab, second);
  assert.deepEqual(seen.messages.flatMap((message) => message.calls).map((call) => call.state), ["done", "declined", "done"]);
  await tab.shot("10-answered");
});

test("a run is stopped, a failure is shown, and the chat goes on", async () => {
  const context = await person();
  const tab = await Tab.open(context, a);
  const second = await Tab.open(context, a, tab.threadId);
  await tab.say("/slow 1000 20");
  await tab.says("1 2 3");
  await tab.click("stop");
  await tab.rest();
  await tab.say("/fail out of paper");
  await tab.at("error").waitFor();
  assert.match(await tab.at("error").textContent(), /out of paper/);
  await tab.shot("11-failed");
  await tab.say("/state {\"count\":1}");
  await tab.says("The state is set.");
  const seen = await same(tab, second);
  assert.match(seen.state, /"count": 1/);
});

test("a message that waits is shown to both tabs", async () => {
  const context = await person();
  const tab = await Tab.open(context, a);
  const second = await Tab.open(context, b, tab.threadId);
  await tab.say("/slow 2000 30");
  await tab.says("1 2 3");
  await second.says("1 2 3");
  await second.say("/say waited");
  await second.at("queued").waitFor();
  await second.shot("12-queued");
  assert.deepEqual(texts(await second.seen(), "user"), ["/slow 2000 30"], "what waits is not told yet");
  await tab.click("stop");
  await second.says("waited");
  const [before, ...after] = texts(await same(tab, second), "assistant");
  assert.ok(numbers(2000).startsWith(before), before);
  assert.deepEqual(after, ["waited"]);
});

test("who may only read a chat is offered nothing that they may not do", async () => {
  const [asks, failed] = [await sends(FAY, "/confirm Book the Adlon?"), await sends(FAY, "/fail the disk is full")];
  const tab = await Tab.at(await person(), `${guarded}/?thread=${failed}`, failed, { serverMayRefuse: true });
  await signIn(tab, DAN);
  await tab.at("error").waitFor();
  await tab.click("show-threads");
  await until(async () => (await tab.at("thread").count()) >= 2, "the chats are listed");
  for (const what of ["retry-turn", "rename-thread", "delete-thread", "edit-message", "answer-anew", "new-chat"]) assert.equal(await tab.at(what).count(), 0, what);
  await tab.page.locator(`[data-testid="thread"][data-thread-id="${asks}"] a`).click();
  await tab.at("interrupt").waitFor();
  assert.equal(await tab.at("interrupt").getByRole("button").count(), 0);
  await tab.page.goto(`${guarded}/inbox`);
  await tab.at("inbox-read-only").waitFor();
  await tab.at("interrupt").first().waitFor();
  assert.equal(await tab.at("interrupt").getByRole("button").count() + (await tab.at("inbox-choose").count()), 0);
  const gone = await fetch(`${guarded}/v1/threads/${asks}`, { method: "DELETE", headers: { Authorization: `Bearer ${FAY}` } });
  assert.ok(gone.ok, "other tests find an inbox without it");
});
