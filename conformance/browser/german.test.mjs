// The page in German, in a browser that asks for it, and from right to left.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { a, barriers, embedded, guarded, person, PHONE, signIn, Tab, test, until } from "./lane.mjs";

/** The width of the narrowest phone, in pixels. */
const NARROW = 320;

/** What no German page says. Words of the agent and of the server are left out. */
const ENGLISH = /\b(?:the|and|of|Approved?|Decline|Inbox|waiting|Loading|Nothing|None|Runs|Questions?|ago)\b/;

const german = async (tab, what) => {
  await until(() => tab.page.evaluate(() => document.documentElement.lang === "de"), "the page is German");
  const said = await tab.page.evaluate(() => {
    const seen = document.body.cloneNode(true);
    for (const theirs of seen.querySelectorAll("code, pre, bdi, select[data-testid='language'], .bubble, .markdown, .title, .run-pick, [data-testid='tool-card']")) theirs.remove();
    const named = [...seen.querySelectorAll("*")].flatMap((one) => ["title", "aria-label", "placeholder"].map((name) => one.getAttribute(name) ?? ""));
    const texts = document.createTreeWalker(seen, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) named.push(texts.currentNode.data);
    return named;
  });
  assert.deepEqual(said.filter((text) => ENGLISH.test(text)), [], what);
  const width = await tab.page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(width <= PHONE, `${what} is ${width} pixels wide`);
  assert.deepEqual(await barriers(tab.page), [], what);
  await tab.shot(`90-german-${what}`);
};

test("a German browser gets a German page, on a phone", async () => {
  const context = await person({ locale: "de-AT", viewport: { width: PHONE, height: 844 } });
  const tab = await Tab.open(context, a);
  await german(tab, "empty");
  assert.match(await tab.page.title(), /Chat · aguiws$/);
  await tab.say('/tool send_email {"to":"ada@example.com","subject":"Hi"}');
  await tab.asked("tool_call");
  assert.equal(await tab.at("approve").textContent(), "Freigeben");
  assert.equal(await tab.at("decline").textContent(), "Ablehnen");
  await german(tab, "question");

  const inbox = await Tab.at(context, `${a}/inbox`);
  await inbox.page.locator(`[data-thread-id="${tab.threadId}"]`).first().waitFor();
  await german(inbox, "inbox");
  assert.match(await inbox.page.title(), /Posteingang · aguiws$/);

  await tab.decide(tab.at("approve"));
  await until(async () => /freigegeben/.test(await tab.at("verdict").first().textContent()), "the decision is told in German");
  await german(tab, "decided");

  const ops = await Tab.at(context, `${a}/ops`);
  await ops.at("health").waitFor();
  await ops.at("counts").locator("dd").first().waitFor();
  await german(ops, "ops");
  await ops.click("ops-runs");
  await ops.at("run").first().waitFor();
  await german(ops, "runs");
});

test("the head of the narrowest phone is one row while something waits", async () => {
  const context = await person({ locale: "de-DE", viewport: { width: NARROW, height: 640 } });
  const tab = await Tab.at(context, `${guarded}/?thread=${randomUUID()}`, undefined, { serverMayRefuse: true });
  await signIn(tab);
  await tab.connected();
  await tab.say("/confirm Ja?");
  await tab.asked("confirmation");
  const asking = tab.page.url();
  for (const place of ["chat", "inbox", "operator"]) {
    await tab.click(`go-${place}`);
    await tab.page.locator(".bar .badge").waitFor();
    const { height, over } = await tab.page.locator(".bar").evaluate((bar) => ({ height: bar.offsetHeight, over: bar.scrollWidth - bar.clientWidth }));
    assert.ok(height <= 56 && over <= 0, `the head of ${place} is ${height} pixels high, and ${over} too wide`);
  }
  await tab.page.goto(asking);
  await tab.decide(tab.at("approve"));
  await tab.rest();
});

test("the language is chosen in the menu, and kept", async () => {
  const tab = await Tab.open(await person({ locale: "de-DE" }), embedded);
  const language = () => tab.page.evaluate(() => document.documentElement.lang);
  await tab.fill("composer", "what is typed");
  await tab.click("menu");
  for (const [chosen, lang, send] of [["en", "en", "Send"], ["de", "de", "Senden"], ["auto", "de", "Senden"]]) {
    await Promise.all([tab.page.waitForEvent("load"), tab.at("language").selectOption(chosen)]);
    await tab.connected();
    assert.equal(await language(), lang);
    assert.equal(await tab.at("send").textContent(), send);
    await tab.click("menu");
    assert.equal(await tab.at("language").inputValue(), chosen);
    assert.equal(await tab.at("composer").inputValue(), "what is typed");
  }
});

test("the page is written from right to left when it is told so", async () => {
  const context = await person({ viewport: { width: PHONE, height: 844 } });
  const tab = await Tab.at(context, `${embedded}/?dir=rtl`);
  await tab.connected();
  await tab.say("/confirm Deploy to production?");
  await tab.asked("confirmation");
  const placed = await tab.page.evaluate(() => ({
    dir: document.documentElement.dir,
    width: document.documentElement.scrollWidth,
    turned: document.querySelector("[data-testid=go-chat]").getBoundingClientRect().left > document.querySelector("[data-testid=menu]").getBoundingClientRect().left,
  }));
  assert.deepEqual(placed, { dir: "rtl", width: PHONE, turned: true });
  await tab.page.reload();
  await tab.connected();
  assert.equal(await tab.page.evaluate(() => document.documentElement.dir), "rtl", "it is kept");
});
