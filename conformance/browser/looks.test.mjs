// Both themes, a phone, and what stands in the way of people who cannot see or point.

import assert from "node:assert/strict";
import { barriers, embedded, person, PHONE, Tab, test, until } from "./lane.mjs";

const SIZES = { wide: { width: 1280, height: 900 }, phone: { width: PHONE, height: 844 } };

/** Nothing is wider than the screen. */
const fits = (tab) => tab.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);

for (const colorScheme of ["light", "dark"]) {
  for (const [size, viewport] of Object.entries(SIZES)) {
    test(`${colorScheme}, ${size}: every place can be read and used`, async () => {
      const context = await person({ colorScheme, viewport });
      const chat = await Tab.open(context, embedded);
      await chat.say("/say Some **words**, a `name` and\n\n```go\nfunc main() { println(\"a line of code that is longer than a phone is wide, and scrolls\") }\n```\n");
      await chat.page.locator(".markdown pre").waitFor();
      await chat.rest();
      await chat.say("/parallel 2");
      await chat.asked("tool_call", 2);
      await chat.at("decline").first().waitFor();
      const found = { chat: await barriers(chat.page) };
      assert.ok(await fits(chat), "the chat fits");
      await chat.shot(`60-chat-${colorScheme}-${size}`);
      if (size === "phone") {
        await chat.click("show-threads");
        await chat.at("thread").first().waitFor();
        await chat.shot(`61-threads-${colorScheme}`);
        await chat.page.keyboard.press("Escape");
        await until(async () => (await chat.at("thread-list").count()) === 0, "Escape closes the list");
      }
      await chat.click("go-inbox");
      await chat.pick(chat);
      await chat.at("decline").first().waitFor();
      found.inbox = await barriers(chat.page);
      assert.ok(await fits(chat), "the inbox fits");
      await chat.shot(`62-inbox-${colorScheme}-${size}`);
      await chat.click("go-operator");
      await chat.at("health").waitFor();
      found.overview = await barriers(chat.page);
      assert.ok(await fits(chat), "the overview fits");
      await chat.shot(`63-overview-${colorScheme}-${size}`);
      await chat.click("ops-runs");
      await chat.at("run-way").first().click();
      await chat.at("run-panel").waitFor();
      found.operator = await barriers(chat.page);
      assert.ok(await fits(chat), "the operator's view fits");
      await chat.shot(`63-operator-${colorScheme}-${size}`);
      assert.deepEqual(found, { chat: [], inbox: [], overview: [], operator: [] });
    });
  }
}

test("on a phone, an empty chat is seen whole and what opens stays on the screen", async () => {
  const tab = await Tab.open(await person({ viewport: SIZES.phone }), embedded);
  await tab.at("try").first().waitFor();
  const seen = (locator) => locator.evaluate((element) => {
    const { top, left, right } = element.getBoundingClientRect();
    const over = document.elementFromPoint((left + right) / 2, top + 2);
    return top >= 0 && left >= 0 && right <= innerWidth && (over === element || element.contains(over));
  });
  await until(() => seen(tab.at("empty").locator("h2")), "the chat begins at its beginning");
  const [empty, composer] = await Promise.all([tab.at("empty").boundingBox(), tab.page.locator(".composer").boundingBox()]);
  assert.ok(empty.y + empty.height <= composer.y, "the composer covers nothing of it");
  await tab.click("menu");
  await tab.click("developer");
  await tab.at("position").waitFor();
  await until(() => seen(tab.at("position")), "the connection's details fit");
  assert.ok(await fits(tab));
  await tab.shot("64-connection-phone");
  await tab.page.keyboard.press("Escape");
  await until(async () => !(await tab.at("position").isVisible()), "Escape closes them");
  await tab.say("/say a conversation that fits");
  await tab.says("that fits");
  await tab.rest();
  await until(() => seen(tab.at("message").first()), "a conversation that fits does not scroll");
  await tab.say("/parallel 2");
  const cards = await tab.asked("tool_call", 2);
  await cards.nth(0).getByTestId("approve").focus();
  await tab.takes(cards.nth(0).getByTestId("approve"));
  await tab.page.keyboard.press("Enter");
  const inFocus = (card) => card.evaluate((element) => element.closest(".shown") === document.activeElement);
  await until(() => inFocus(cards.nth(1)), "the focus goes to the next question");
  await tab.at("step-back").press("Enter");
  await until(() => inFocus(cards.nth(0)), "and back to the one before");
  await cards.nth(0).getByTestId("change").focus();
  await tab.takes(cards.nth(0).getByTestId("change"));
  await tab.page.keyboard.press("Enter");
  await until(() => cards.nth(0).evaluate((element) => element.contains(document.activeElement)), "and comes back with the question");
});

test("the last answer always shows what can be done with it, and a title has its row to itself until it is pointed at", async () => {
  const tab = await Tab.open(await person({ viewport: SIZES.wide }), embedded);
  for (const text of ["first", "last"]) {
    await tab.say(`/say ${text}`);
    await tab.says(text);
    await tab.rest();
  }
  await tab.page.mouse.move(1, 1);
  const shown = () => tab.page.locator('.message.assistant > .about').evaluateAll((all) => all.map((one) => getComputedStyle(one).opacity));
  await until(async () => (await shown()).join() === "0,1", "the last one alone shows them");
  await tab.page.locator(".message.assistant").first().hover();
  await until(async () => (await shown()).join() === "1,1", "and another one when it is pointed at");
  const row = tab.page.locator(`[data-testid="thread"][data-thread-id="${tab.threadId}"]`);
  const [whole, link] = await Promise.all([row.boundingBox(), row.locator("a").boundingBox()]);
  assert.equal(link.width, whole.width);
  const does = () => row.locator(".thread-does").evaluate((one) => getComputedStyle(one).opacity);
  assert.equal(await does(), "0");
  await row.hover();
  assert.equal(await does(), "1");
  assert.deepEqual(await row.locator("a").boundingBox(), link, "which moves nothing");
});

test("the theme follows the system until somebody chooses, and the choice is kept", async () => {
  const tab = await Tab.open(await person({ colorScheme: "light" }), embedded);
  const ground = () => tab.page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await tab.page.emulateMedia({ colorScheme: "dark" });
  await until(async () => (await ground()) !== light, "the page is dark");
  const dark = await ground();
  await tab.click("menu");
  await tab.at("theme").selectOption("light");
  await until(async () => (await ground()) === light, "the page is light");
  await tab.reload();
  assert.equal(await ground(), light);
  await tab.click("menu");
  await tab.at("theme").selectOption("system");
  await until(async () => (await ground()) === dark, "the page is dark again");
});

test("a bubble ends with its text, a result that scrolls ends between two lines, and the rows of the inbox have one edge", async () => {
  const tab = await Tab.open(await person({ viewport: SIZES.wide }), embedded);
  await tab.say(`/tool list ${JSON.stringify(Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`item${i}`, i])))}`);
  await tab.asked("tool_call");
  await tab.click("approve");
  await tab.at("tool-card").locator("summary").first().click();
  await tab.at("tool-args-as-json").locator("summary").click();
  await tab.at("tool-args-json").waitFor();
  await tab.rest();
  const { bubble, line, over, cut } = await tab.page.evaluate(() => {
    const [text, result] = [document.querySelector(".message.user .text"), document.querySelector("[data-testid=tool-args-json]")];
    const box = (() => {
      let at = text;
      while (at && getComputedStyle(at).backgroundColor === "rgba(0, 0, 0, 0)") at = at.parentElement;
      return at;
    })();
    const { lineHeight, paddingTop } = getComputedStyle(result);
    return {
      bubble: box.clientHeight - text.clientHeight,
      line: parseFloat(getComputedStyle(text).lineHeight),
      over: result.scrollHeight - result.clientHeight,
      cut: ((result.clientHeight - parseFloat(paddingTop)) / parseFloat(lineHeight)) % 1,
    };
  });
  assert.ok(bubble < line, `no line of ${line} fits into the ${bubble} beside the text`);
  assert.ok(over > line && (cut < 0.06 || cut > 0.94), `${cut} of a line is shown`);
  for (const text of ["/confirm Really?", "/form"]) {
    await tab.click("new-chat");
    await tab.say(text);
    await tab.at("interrupt").waitFor();
  }
  await tab.click("go-inbox");
  const rows = (has) => tab.at("inbox-row").filter(has);
  const choice = tab.page.getByTestId("inbox-choose");
  await rows({ has: choice }).first().waitFor();
  await rows({ hasNot: choice }).first().waitFor();
  const edges = await tab.page.locator("[data-testid=inbox-row] .title").evaluateAll((titles) => titles.map((title) => Math.round(title.getBoundingClientRect().left)));
  assert.equal(new Set(edges).size, 1, `${edges}`);
  await tab.shot("65-inbox-rows");
});
