// A conversation of thousands of messages: what of it is drawn while it grows, and that all of it is there.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { embedded, person, Tab, test, until } from "./lane.mjs";

const MESSAGES = 2_000;

/** How many of them the page holds at first. */
const HELD = 200;

/** How many are drawn for whoever reads upwards. */
const MOST = 1_200;

/** A thread that holds so many messages, of people and of an agent in turn. */
async function long(server, count) {
  const threadId = randomUUID();
  const messages = Array.from({ length: count - 2 }, (_, i) => i % 2 === 0
    ? { id: `q${i}`, role: "user", content: `Question number ${i}` }
    : { id: `a${i}`, role: "assistant", content: `Answer number ${i}, with **strong** words.\n\n- one\n- two\n` });
  messages.push({ id: "last", role: "user", content: "/say ready" });
  const input = { threadId, runId: randomUUID(), messages, tools: [], context: [], state: {}, forwardedProps: {} };
  const answer = await fetch(`${server}/agui`, { method: "POST", headers: { "content-type": "application/json", accept: "text/event-stream" }, body: JSON.stringify(input) });
  assert.equal(answer.status, 200, await answer.clone().text());
  assert.match(await answer.text(), /RUN_FINISHED/);
  return threadId;
}

const laidOut = (message) => message.evaluate((element) => element.checkVisibility({ contentVisibilityAuto: true }));

/** Has an answer grow, of which nothing but the end of the conversation knows, and tells how many pictures a second there were. */
async function grows(tab) {
  await tab.page.evaluate(() => {
    window.seen = { old: 0, all: 0, copied: 0, pictures: 0, from: performance.now() };
    const parts = document.querySelectorAll(".messages");
    const old = new Set([...parts].slice(0, -1));
    const watch = new MutationObserver((records) => {
      for (const { target } of records) {
        window.seen.all++;
        const part = (target instanceof Element ? target : target.parentElement)?.closest(".messages");
        if (old.has(part)) window.seen.old++;
      }
    });
    watch.observe(document.querySelector(".conversation"), { subtree: true, childList: true, characterData: true, attributes: true });
    const copy = window.structuredClone;
    window.structuredClone = (value, ...rest) => {
      if (Array.isArray(value) && value.length > 100) window.seen.copied++;
      return copy(value, ...rest);
    };
    const picture = () => {
      window.seen.pictures++;
      window.seen.next = requestAnimationFrame(picture);
    };
    picture();
    window.over = () => {
      watch.disconnect();
      cancelAnimationFrame(window.seen.next);
      window.structuredClone = copy;
      return { ...window.seen, seconds: (performance.now() - window.seen.from) / 1_000 };
    };
  });
  await tab.say("/slow 300 10");
  await tab.says("299 300");
  await tab.rest();
  const seen = await tab.page.evaluate(() => window.over());
  assert.ok(seen.all > 0, "something has grown");
  assert.equal(seen.old, 0, "and nothing else was touched");
  assert.ok(seen.copied < 30, `nor is the conversation copied for each of 300 pieces: ${seen.copied} times`);
  return `${(seen.pictures / seen.seconds).toFixed(0)} pictures a second`;
}

test(`of ${MESSAGES} messages the last are there, those that do not change are not touched while another grows, and older ones come`, async () => {
  const tab = await Tab.open(await person({ viewport: { width: 900, height: 800 } }), embedded, await long(embedded, MESSAGES));
  await tab.says("ready");
  await tab.rest();
  assert.equal(await tab.at("message").count(), HELD);
  assert.equal(await tab.at("older").textContent(), `Show earlier messages (${(MESSAGES - HELD).toLocaleString("en")})`);
  await until(async () => /^(\(\d+\) )?ready · /.test(await tab.page.title()), "it is called after the latest subject");
  await until(async () => (await tab.page.locator(".markdown").count()) === HELD / 2, "all answers are read as Markdown");
  assert.equal(await laidOut(tab.at("message").first()), false, "what is out of sight is not laid out");
  await grows(tab);
  const sought = `Answer number ${MESSAGES - HELD + 21},`;
  assert.ok(await tab.page.evaluate((text) => window.find(text, false, true, true), sought), "the browser finds what is out of sight");
  const message = tab.page.locator(`[data-message-id="a${MESSAGES - HELD + 21}"]`);
  await until(() => laidOut(message), "and shows it");

  const before = await tab.at("message").count();
  await tab.page.evaluate(() => scrollTo({ top: 40, behavior: "instant" }));
  await until(async () => (await tab.at("message").count()) >= before + 100, "older messages come to who goes up to them");
  await tab.page.evaluate(() => scrollTo({ top: 0, behavior: "instant" }));
  await tab.click("older");
  await until(async () => (await tab.at("message").count()) >= before + 200, "and when they are asked for");
  assert.equal(await tab.page.locator('[data-message-id="last"]').count(), 1, "nothing has gone for them");
  const numbers = await tab.at("message").evaluateAll((all) => all.map((one) => one.dataset.messageId).filter((id) => /^[qa]\d+$/.test(id)).map((id) => Number(id.slice(1))));
  assert.deepEqual(numbers, Array.from({ length: numbers.length }, (_, i) => MESSAGES - 2 - numbers.length + i), "in their order");
});

test("a message that grows below most of a long conversation costs no more than below little of it", async () => {
  const tab = await Tab.open(await person({ viewport: { width: 900, height: 800 } }), embedded, await long(embedded, MESSAGES));
  await tab.says("ready");
  await tab.rest();
  for (let drawn = HELD; drawn < MOST; ) {
    await tab.page.evaluate(() => scrollTo({ top: 0, behavior: "instant" }));
    await tab.at("older").click();
    await until(async () => (await tab.at("message").count()) > drawn, "older messages come");
    drawn = await tab.at("message").count();
  }
  await tab.page.evaluate(() => scrollTo({ top: document.body.scrollHeight, behavior: "instant" }));
  await until(() => laidOut(tab.at("message").last()), "the end is in sight");
  const parts = await tab.page.locator(".messages").evaluateAll((all) => all.map((part) => part.firstElementChild.checkVisibility({ contentVisibilityAuto: true })));
  assert.ok(parts.length >= MOST / 40 && parts.filter(Boolean).length < 10, `few of ${parts.length} parts are laid out: ${parts.filter(Boolean).length}`);
  console.log(`${await tab.at("message").count()} messages drawn: ${await grows(tab)}`);
});

test("older messages that are asked for during a run come behind it, and that is said", async () => {
  const tab = await Tab.open(await person({ viewport: { width: 900, height: 800 } }), embedded, await long(embedded, HELD + 60));
  await tab.says("ready");
  await tab.rest();
  await tab.say("/slow 10000 50");
  await tab.says("1 2");
  const before = await tab.at("message").count();
  await tab.page.evaluate(() => scrollTo({ top: 0, behavior: "instant" }));
  await tab.at("older").click();
  await tab.at("older-held").waitFor();
  assert.match(await tab.at("older-held").textContent(), /They come when the run is over/);
  await tab.decide(tab.at("stop"));
  await until(async () => (await tab.at("message").count()) > before, "they come");
  assert.equal(await tab.at("older-held").count(), 0);
});

test("messages before the last hundred runs are told with their times", async () => {
  const threadId = randomUUID();
  for (let n = 0; n < HELD / 2 + 20; n++) {
    const messages = [{ id: `q${n}`, role: "user", content: `/say ${n}` }];
    const answer = await fetch(`${embedded}/agui`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ threadId, runId: randomUUID(), messages }) });
    assert.match(await answer.text(), /RUN_FINISHED/);
  }
  const tab = await Tab.open(await person({ viewport: { width: 900, height: 800 } }), embedded, threadId);
  await tab.rest();
  await tab.page.evaluate(() => scrollTo({ top: 0, behavior: "instant" }));
  await tab.at("older").click();
  await until(async () => (await tab.at("message").count()) > HELD, "older messages come");
  await until(async () => (await tab.page.locator('[data-message-id="q0"]').getByTestId("said-at").count()) === 1, "and when they were said");
});
