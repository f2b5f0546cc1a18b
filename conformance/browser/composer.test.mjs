// Where a message is written, and what of the conversation is in sight meanwhile.

import assert from "node:assert/strict";
import { barriers, embedded, numbers, person, PHONE, Tab, test, until } from "./lane.mjs";

const VIEWPORTS = { wide: { width: 900, height: 800 }, phone: { width: PHONE, height: 844 } };

/** Stop, as soon as it takes an act. */
const STOPS = '.guarded[data-calm="true"] > [data-testid="stop"]';

/** How high the composer's text is seen, how high it is, and how high the window is. */
const heights = (tab) => tab.at("composer").evaluate((box) => ({ seen: box.clientHeight, all: box.scrollHeight, window: innerHeight }));

/** How far the end is below what is seen. */
const beyond = (tab) => tab.page.evaluate(() => {
  const { scrollHeight, scrollTop, clientHeight } = document.documentElement;
  return scrollHeight - scrollTop - clientHeight;
});
/** Where in the window a line is: browsers scroll by themselves to keep it there when what is above it changes. */
const place = (line) => line.evaluate((element) => Math.round(element.getBoundingClientRect().top));
const up = (tab, pixels) => tab.page.evaluate((by) => scrollBy({ top: -by, behavior: "instant" }), pixels);

for (const [size, viewport] of Object.entries(VIEWPORTS)) {
  test(`${size}: what is typed is seen whole up to a third of the page, with Send beside it`, async () => {
    const tab = await Tab.open(await person({ viewport }), embedded);
    const empty = await heights(tab);
    await tab.fill("composer", "words that wrap ".repeat(size === "wide" ? 20 : 8));
    const wrapped = await heights(tab);
    assert.ok(wrapped.seen > 2 * empty.seen, `it has grown: ${JSON.stringify({ empty, wrapped })}`);
    assert.ok(wrapped.all <= wrapped.seen + 1, "nothing of it is hidden");
    await tab.shot(`83-composer-${size}`);
    await tab.fill("composer", "a line\n".repeat(200));
    const full = await heights(tab);
    assert.ok(full.seen > wrapped.seen && full.seen <= full.window / 3 && full.all > full.seen, JSON.stringify(full));
    const [box, send] = await Promise.all([tab.page.locator(".writing").boundingBox(), tab.at("send").boundingBox()]);
    assert.ok(send.x >= box.x && send.x + send.width <= box.x + box.width && send.y >= box.y && send.y + send.height <= box.y + box.height, "Send is inside");
    await tab.fill("composer", "");
    assert.equal((await heights(tab)).seen, empty.seen);
  });
}

test("a slash offers what the agent understands, Enter writes the first that fits, and sends what is a command", async () => {
  const tab = await Tab.open(await person(), embedded);
  const { keyboard } = tab.page;
  const offered = tab.at("slash-command");
  await tab.at("composer").focus();
  await keyboard.type("/");
  await until(async () => (await offered.count()) > 10, "all are offered");
  assert.deepEqual(await barriers(tab.page), []);
  await tab.shot("84-slash");
  await keyboard.press("Escape");
  await until(async () => (await tab.at("slash").count()) === 0, "Escape puts them away");
  await keyboard.type("sl");
  await until(async () => (await offered.count()) === 1, "those that fit are offered");
  assert.equal(await tab.at("composer").getAttribute("aria-activedescendant"), await offered.getAttribute("id"), "the first is marked");
  await keyboard.press("Enter");
  await until(async () => (await tab.at("composer").inputValue()) === "/slow 20 100", "it is written");
  assert.equal(await tab.at("message").count(), 0, "and not sent");
  await tab.fill("composer", "/sa");
  await offered.click();
  assert.match(await tab.at("composer").inputValue(), /^\/say Hello/);
  await tab.fill("composer", "/form");
  await keyboard.press("Enter");
  await tab.asked("input_required");
  assert.equal(await tab.at("day").count(), 0, "today is no news");
  await until(async () => /^\d\d:\d\d$/.test(await tab.at("said-at").first().textContent()), "a message says when it was said");
});

test("each chat keeps what was typed in it", async () => {
  const tab = await Tab.open(await person(), embedded);
  await tab.fill("composer", "meant for the first");
  await tab.click("new-chat");
  await until(async () => (await tab.at("composer").inputValue()) === "", "another chat begins empty");
  await tab.fill("composer", "meant for the second");
  await tab.page.goBack();
  await until(async () => (await tab.at("composer").inputValue()) === "meant for the first", "the first has its own");
  await tab.page.goForward();
  await until(async () => (await tab.at("composer").inputValue()) === "meant for the second", "and so has the second");
});

test("Escape stops the run, and not what it is meant for otherwise", async () => {
  const tab = await Tab.open(await person(), embedded);
  await tab.say("/slow 300 100");
  await until(async () => (await tab.at("status").getAttribute("data-running")) === "true", "a run is in progress");
  await tab.click("menu");
  await tab.page.keyboard.press("Escape");
  await until(async () => !(await tab.at("theme").isVisible()), "Escape closes what is open");
  assert.equal(await tab.at("stop").textContent(), "Stop", "and stops nothing then");
  await tab.at("composer").focus();
  await tab.page.locator(STOPS).waitFor();
  await tab.page.keyboard.press("Escape");
  await until(async () => (await tab.at("status").getAttribute("data-running")) === "false", "Escape stops the run");
  assert.doesNotMatch(await tab.last(), /300/);
});

test("Escape lets a run go on that has only just begun, and says so", async () => {
  const tab = await Tab.open(await person(), embedded);
  await tab.say("/slow 40 50");
  await tab.says("1 2");
  await tab.say("/slow 400 100");
  await tab.at("queued").waitFor();
  // The key comes as the second run is drawn.
  await tab.page.evaluate(() => {
    const begun = new MutationObserver(() => {
      if (document.querySelector('[data-testid="queued"]')) return;
      begun.disconnect();
      document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true, cancelable: true }));
    });
    begun.observe(document.body, { childList: true, subtree: true });
  });
  await tab.at("too-soon").waitFor();
  await tab.says("1 2 3 4 5");
  assert.equal(await tab.at("stop").textContent(), "Stop", "it goes on");
  await tab.page.locator(STOPS).waitFor();
  await tab.page.keyboard.press("Escape");
  await until(async () => (await tab.at("status").getAttribute("data-running")) === "false", "and is stopped when it is meant");
});

test("what is sent goes to the top and its answer moves nothing, the end is followed by who goes there, and older text is left alone", async () => {
  const tab = await Tab.open(await person({ viewport: { width: 900, height: 500 } }), embedded);
  await tab.say("/say before");
  await tab.says("before");
  await tab.rest();
  await tab.say("/slow 400 3");
  const asked = tab.page.locator('[data-role="user"]').last();
  await tab.says("1 2 3");
  const top = await place(asked);
  assert.ok(top > 0 && top < 120, `what was sent stands at the top: ${top}`);
  await tab.at("jump").waitFor();
  assert.equal(await place(asked), top, "what is read stays where it is");
  await tab.click("jump");
  await until(async () => (await place(asked)) < top, "the end is followed");
  await tab.rest();
  await until(async () => (await beyond(tab)) <= 8, "to the end");
  await tab.say(`/say ${numbers(40).replaceAll(" ", "\n\n")}`);
  await tab.says("40");
  await tab.rest();
  await tab.click("jump");
  const line = tab.page.locator(".markdown p").nth(29);
  await line.waitFor();
  await until(async () => (await beyond(tab)) <= 8, "the end is in sight");
  assert.equal(await tab.at("jump").count(), 0, "there is nowhere to jump to");
  await up(tab, 60);
  await tab.at("jump").waitFor();
  await up(tab, 400);
  await until(async () => (await beyond(tab)) > 300, "older text is in sight");
  const before = await place(line);
  // Another tab writes.
  const other = await Tab.open(await person(), embedded, tab.threadId);
  await other.say("/say something new");
  await other.says("something new");
  await tab.says("something new");
  await tab.rest();
  assert.equal(await place(line), before, "who reads stays where they are");
  await tab.shot("84-jump-to-latest");
  await tab.at("composer").focus();
  await tab.page.keyboard.press("Shift+Tab");
  assert.ok(await tab.at("jump").evaluate((button) => button === document.activeElement), "the keyboard gets to it");
  await tab.page.keyboard.press("Enter");
  await until(async () => (await beyond(tab)) <= 8, "the end is in sight again");
  assert.equal(await tab.at("jump").count(), 0);
  assert.ok(await tab.at("composer").evaluate((box) => box === document.activeElement), "and has gone on to the composer");
  await up(tab, 400);
  await tab.at("jump").waitFor();
  await tab.say("/say now");
  await tab.says("now");
  await tab.rest();
  await until(async () => (await beyond(tab)) <= 8, "what was sent and what was answered are in sight");
  assert.equal(await tab.at("jump").count(), 0);
});

test("what is opened at the end is read from its beginning, and what fits leaves the end in sight", async () => {
  const tab = await Tab.open(await person({ viewport: { width: 900, height: 500 } }), embedded);
  for (const text of [numbers(20).replaceAll(" ", "\n\n"), "short"]) {
    await tab.say(`/say ${text}`);
    await tab.says(text.slice(-2));
    await tab.rest();
  }
  await tab.say(`/think ${numbers(3000)}`);
  await tab.at("reasoning").waitFor();
  await tab.rest();
  await tab.page.evaluate(() => scrollTo({ top: document.body.scrollHeight, behavior: "instant" }));
  await until(async () => (await beyond(tab)) <= 8, "the end is in sight");
  const summary = tab.at("reasoning").locator("summary");
  const before = await place(summary);
  await summary.click();
  await tab.at("jump").waitFor();
  assert.equal(await place(summary), before, "it stays where it was pressed");
  assert.ok((await beyond(tab)) > 300, "and its end is out of sight");
  await summary.click();
  await until(async () => (await tab.at("jump").count()) === 0, "closed, the end is in sight again");
});
