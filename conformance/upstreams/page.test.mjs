// The chat page in Chromium, before gateways that die.

import assert from "node:assert/strict";
import { person, Tab, test as pageTest, until } from "../browser/lane.mjs";
import { a, b, inTurn, kill, left, numbers, restart, sent, someone, target } from "./lane.mjs";

const test = (name, body) => pageTest(`${target} through the page: ${name}`, body);

const cards = (tab, count) => until(async () => (await tab.at("interrupt").count()) === count, `${count} questions`);

/** Answers all questions that are shown, in order. */
async function answer(tab, ...hooks) {
  await cards(tab, hooks.length);
  await tab.front();
  for (const [i, hook] of hooks.entries()) {
    const card = tab.at("interrupt").nth(i);
    await tab.decide(card.getByTestId(hook));
  }
  if (hooks.length > 1) await tab.click("submit-answers");
}

/** What the tab shows of the assistant. */
const said = async (tab) => (await tab.seen()).messages.filter(({ role, text }) => role === "assistant" && text).map(({ text }) => text.trim());
const says = (tab, text) => until(async () => (await said(tab)).some((each) => each.includes(text)), `it says ${text}`);

test("text streams, through a reload", async () => {
  const tab = await Tab.open(await person(), a);
  await tab.say("/slow 60 60");
  await says(tab, "5 6 7");
  await tab.reload();
  await says(tab, "59 60");
  await tab.rest();
  assert.deepEqual(await said(tab), [numbers(60)]);
});

test("a question outlives a reload and its gateway, and is answered once at another one", async () => {
  const to = someone("ann");
  const context = await person();
  const tab = await Tab.open(context, a);
  tab.serverMayDie = true;
  await tab.say(`/send ${to}`);
  await cards(tab, 1);
  await tab.reload();
  await cards(tab, 1);
  await kill(0);
  let other;
  try {
    other = await Tab.open(context, b, tab.threadId);
    await cards(other, 1);
    assert.equal(await sent(to), 0);
    await other.shot(`upstream-${target}-asks`);
    await answer(other, "approve");
    await says(other, `Sent to ${to}`);
  } finally {
    await restart(0);
  }
  await tab.connected();
  await cards(tab, 0);
  await says(tab, `Sent to ${to}`);
  await tab.say("/say and on");
  await says(other, "and on");
  assert.equal(await sent(to), 1);
  assert.deepEqual((await tab.rest()).messages, (await other.rest()).messages);
});

/** A person who hears nothing between `hold` and `release`, and whom others hear. */
async function hardOfHearing() {
  const context = await person();
  let waiting;
  await context.routeWebSocket(/\/agui\/ws/, (page) => {
    page.connectToServer().onMessage((text) => (waiting ? waiting.push(() => page.send(text)) : page.send(text)));
  });
  return {
    context,
    hold: () => (waiting = []),
    release: () => {
      for (const send of waiting) send();
      waiting = undefined;
    },
  };
}

for (const [how, hook, refused] of [["alike", "approve", 0], ["differently", "decline", 1]]) {
  test(`a question that two tabs answer ${how} is answered once`, async () => {
    const to = someone("twin");
    const late = await hardOfHearing();
    const here = await Tab.open(late.context, a);
    const there = await Tab.open(await person(), b, here.threadId);
    await here.say(`/send ${to}`);
    await cards(there, 1);
    await cards(here, 1);
    late.hold();
    await answer(there, "approve");
    await says(there, `Sent to ${to}`);
    await answer(here, hook); // it knows of nothing
    late.release();
    await says(here, `Sent to ${to}`);
    await cards(here, 0);
    await until(async () => (await here.page.getByText("Answered already, differently").count()) === refused, "it is told that it was too late");
    await there.say("/say and on");
    await says(here, "and on");
    assert.equal(await sent(to), 1);
  });
}

test("a question is declined", async () => {
  const to = someone("no");
  const tab = await Tab.open(await person(), a);
  await tab.say(`/send ${to}`);
  await answer(tab, "decline");
  await cards(tab, 0);
  await says(tab, "Not sent");
  assert.equal(await sent(to), 0);
});

test("two questions are answered differently", async () => {
  const [first, second] = [someone("one"), someone("two")];
  const tab = await Tab.open(await person(), a);
  await tab.say(`/both ${first} ${second}`);
  if (inTurn) {
    await cards(tab, 1);
    const asked = await tab.at("interrupt").getAttribute("data-interrupt-id");
    await answer(tab, "approve");
    await until(async () => ![null, asked].includes(await tab.at("interrupt").getAttribute("data-interrupt-id")), "another question");
    await answer(tab, "decline");
  } else {
    await answer(tab, "approve", "decline");
  }
  await cards(tab, 0);
  await tab.rest();
  assert.deepEqual([await sent(first), await sent(second)], [1, 0]);
});

test("a run that fails says so, and the thread goes on", async () => {
  const tab = await Tab.open(await person(), a);
  await tab.say("/fail on purpose");
  await tab.at("error").first().waitFor();
  assert.match((await tab.at("error").allTextContents()).join("\n"), /on purpose/);
  await tab.say("/say and on");
  await says(tab, "and on");
});

test("a cancel ends the request", async () => {
  const before = await left();
  const tab = await Tab.open(await person(), a);
  await tab.say("/slow 600 50");
  await says(tab, "5 6 7");
  await tab.click("stop");
  await tab.rest();
  await until(async () => (await left()) === before + 1, "the target was left");
  await tab.say("/say and on");
  await says(tab, "and on");
});
