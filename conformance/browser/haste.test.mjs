// Hands are faster than pages: what was done to one thing is not done to the next that comes into its place.

import assert from "node:assert/strict";
import { embedded, person, Tab, test, unique, until } from "./lane.mjs";

/** Between the two clicks of a hasty hand, in milliseconds. */
const PAUSES_MS = [60, 200, 400];

/** How often a key that is held down says so. */
const REPEATS = 12;

const painted = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))));

/** Clicks twice in the same place, whatever has come there meanwhile. `clickCount`: how the browser counts the second click. */
async function twice(tab, control, pauseMs, clickCount = 1) {
  await tab.front();
  // Waits until it can be clicked, as a person does.
  await control.click({ trial: true });
  const { x, y, width, height } = await control.boundingBox();
  const { mouse } = tab.page;
  await mouse.move(x + width / 2, y + height / 2);
  await mouse.down();
  await mouse.up();
  await new Promise((resolve) => setTimeout(resolve, pauseMs));
  await mouse.down({ clickCount });
  await mouse.up({ clickCount });
  await painted(tab.page);
}

/** Counts what the page sends: inputs that answer, and answers over the control API. */
function sent(tab) {
  const counts = { inputs: 0, posts: 0, cancels: 0 };
  tab.page.on("websocket", (socket) =>
    socket.on("framesent", ({ payload }) => {
      if (/"resume":\[\{/.test(String(payload))) counts.inputs++;
      if (/"ws\.cancel"/.test(String(payload))) counts.cancels++;
    }),
  );
  tab.page.on("request", (request) => {
    if (request.method() === "POST") counts.posts++;
  });
  return counts;
}

/** A chat with its frames counted from the first one. */
async function chat(context) {
  const tab = await Tab.open(context, embedded);
  const counts = sent(tab);
  await tab.reload();
  return [tab, counts];
}

const itemOf = (tab, chat) => tab.page.locator(`[data-testid="inbox-item"][data-thread-id="${chat.threadId}"]`);

for (const [i, pauseMs] of PAUSES_MS.entries()) {
  test(`two clicks in the inbox, ${pauseMs} ms apart, answer one question`, async () => {
    const context = await person();
    const tool = unique("wire");
    const [first] = await chat(context);
    await first.say(`/tool ${tool} {"eur":300}`);
    await first.asked("tool_call");
    const [second] = await chat(context);
    await second.say(`/tool ${tool} {"eur":400}`);
    await second.asked("tool_call");
    const inbox = await Tab.at(context, `${embedded}/inbox`);
    const counts = sent(inbox);
    await inbox.row(second).waitFor();
    await inbox.pick(first);
    // What a question consists of has all come, and it takes clicks.
    await itemOf(inbox, first).getByTestId("approve").click({ trial: true });
    await twice(inbox, itemOf(inbox, first).getByTestId("approve"), pauseMs, 1 + (i % 2));
    await until(async () => (await itemOf(inbox, first).count()) === 0, "what is answered is gone");
    const said = inbox.at("inbox-said");
    assert.match(await said.textContent(), /Approved “Wire .*, EUR 300”/);
    await until(() => counts.posts === 1, "one answer is sent");
    if (i === 0) await inbox.shot("80-inbox-after-a-double-click");
    // The next one comes under the pointer, and has taken nothing of what was meant for the first.
    await until(async () => (await inbox.at("inbox-item").count()) === 1, "the next one comes by itself");
    await inbox.page.mouse.move(1, 1);
    await until(async () => (await inbox.at("answered").count()) === 0, "its place in the list is given up when the pointer has left");
    await inbox.decide((await inbox.pick(second)).getByTestId("decline"));
    await second.says(`${tool} was declined`);
    await until(async () => (await said.textContent()).match(/Declined “Wire .*, EUR 400”/), "it names the second answer");
    assert.equal(counts.posts, 2);
  });

  test(`two clicks in a chat, ${pauseMs} ms apart, answer one question of two`, async () => {
    const [tab, counts] = await chat(await person());
    await tab.say("/twice");
    await tab.asked("confirmation");
    const first = await tab.at("interrupt").getAttribute("data-interrupt-id");
    await twice(tab, tab.at("approve"), pauseMs, 1 + (i % 2));
    await until(async () => {
      const open = await tab.at("interrupt").evaluateAll((cards) => cards.map((card) => card.dataset.interruptId));
      return open.length === 1 && open[0] !== first;
    }, "the second question is asked");
    assert.equal(counts.inputs, 1, "one answer is sent");
    await tab.click("approve");
    await until(async () => (await tab.at("interrupt").count()) === 0, "both are answered");
    assert.equal(counts.inputs, 2);
  });
}

test("a key that is held down answers one question of two", async () => {
  const [tab, counts] = await chat(await person());
  await tab.say("/twice");
  await tab.asked("confirmation");
  await tab.at("approve").click({ trial: true });
  await tab.at("approve").focus();
  for (let i = 0; i < REPEATS; i++) {
    await tab.page.keyboard.down("Enter");
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  await tab.page.keyboard.up("Enter");
  await until(async () => counts.inputs === 1 && (await tab.at("interrupt").getAttribute("data-answered")) === "false", "the second question is asked");
  // As soon as it is there, Enter and Space say nothing to it.
  await tab.at("approve").focus();
  assert.equal(counts.inputs, 1);
});

test("a finger that taps twice answers one question", async () => {
  const context = await person({ hasTouch: true });
  const [tab, counts] = await chat(context);
  await tab.say("/parallel 2");
  const cards = await tab.asked("tool_call", 2);
  const approve = cards.nth(0).getByTestId("approve");
  await approve.click({ trial: true });
  const { x, y, width, height } = await approve.boundingBox();
  await tab.page.touchscreen.tap(x + width / 2, y + height / 2);
  await tab.page.touchscreen.tap(x + width / 2, y + height / 2);
  await painted(tab.page);
  assert.equal(await tab.at("answer-progress").textContent(), "1 of 2 answered");
  assert.equal(await cards.nth(0).getAttribute("data-answered"), "true");
  assert.equal(counts.inputs, 0);
});

test("two clicks on one of several questions neither take the answer back nor give another", async () => {
  const [tab] = await chat(await person());
  await tab.say("/parallel 3");
  const cards = await tab.asked("tool_call", 3);
  await twice(tab, cards.nth(0).getByTestId("approve"), 200, 2);
  assert.equal(await tab.at("answer-progress").textContent(), "1 of 3 answered");
  assert.equal(await cards.nth(0).getByTestId("decision").textContent(), "Approved");
});

test("a question that comes as somebody sends a message is not cancelled with it", async () => {
  const [tab, counts] = await chat(await person());
  const other = await Tab.open(tab.page.context(), embedded, tab.threadId);
  await tab.fill("composer", "written before the question came");
  await other.say("/confirm Really?");
  await tab.asked("confirmation");
  await tab.at("composer").press("Enter");
  await painted(tab.page);
  const asked = await tab.at("interrupt").count();
  assert.deepEqual([asked, counts.inputs, await tab.at("composer").inputValue()], [1, 0, "written before the question came"]);
});

test("two clicks remove one of the inputs that wait", async () => {
  const [tab, counts] = await chat(await person());
  await tab.say("/slow 400 1000");
  await tab.says("1 2");
  for (const text of ["the first that waits", "the second", "the third"]) {
    await tab.say(`/say ${text}`);
    await tab.at("queued").filter({ hasText: text }).waitFor();
  }
  await twice(tab, tab.at("queued").first().getByRole("button", { name: "Remove" }), 200);
  await until(async () => (await tab.at("queued").count()) === 2, "one is removed");
  assert.equal(counts.cancels, 1);
  await tab.click("stop");
});
