// Signing in at a provider.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { barriers, EVE, guarded, person, provided, signIn, Tab, test, until } from "./lane.mjs";

test("below a path, who signs in at the provider comes back to where they were, approves in the inbox, and signs out", async () => {
  const context = await person({ viewport: { width: 1280, height: 900 } });
  const threadId = randomUUID();
  const tab = await Tab.at(context, `${provided}/?thread=${threadId}`, threadId, { serverMayRefuse: true });
  await tab.at("sign-in-go").waitFor();
  assert.equal(await tab.at("token").isVisible(), false);
  assert.deepEqual(await barriers(tab.page), []);
  await tab.shot("31-sign-in-at-a-provider");
  await tab.click("sign-in-go");
  await tab.connected();
  assert.equal(new URL(tab.page.url()).searchParams.get("thread"), threadId);
  await tab.click("menu");
  assert.equal(await tab.at("who").textContent(), "Signed in as Ann Example");
  await tab.page.keyboard.press("Escape");
  assert.equal(await tab.at("go-operator").count(), 0, "a place that shows her nothing is not there");

  await tab.say('/tool send {"to":"ada"}');
  await tab.asked("tool_call");
  await tab.fill("composer", "what has not been sent yet");
  await tab.click("go-inbox");
  assert.equal(tab.page.url(), `${provided}/inbox`);
  await tab.decide((await tab.pick(tab)).getByTestId("approve"));
  await until(async () => /The agent was told/.test((await tab.at("inbox-said").allTextContents()).join()), "the answer is sent");

  // The session ends while the page is open.
  await context.clearCookies();
  await tab.at("sign-in-go").waitFor();
  assert.match(await tab.at("sign-in-why").textContent(), /session has ended/);
  await tab.click("sign-in-go");
  await tab.page.getByRole("heading", { name: "Waiting for you" }).waitFor();
  assert.equal(tab.page.url(), `${provided}/inbox`);
  await tab.page.goto(`${provided}/?thread=${threadId}`);
  await tab.says("I have called send.");
  assert.equal(await tab.at("composer").inputValue(), "what has not been sent yet");

  const other = await Tab.at(context, `${provided}/inbox`, undefined, { serverMayRefuse: true });
  await other.page.getByRole("heading", { name: "Waiting for you" }).waitFor();
  await tab.click("menu");
  await tab.click("sign-out");
  for (const one of [tab, other]) {
    await one.at("sign-in-go").waitFor();
    assert.equal(await one.at("message").count(), 0);
    assert.deepEqual(await one.page.evaluate(() => Object.values(sessionStorage).filter((kept) => kept !== "[]")), [], "nothing of hers is left");
  }
  assert.deepEqual(await context.cookies(provided), []);
});

test("who may only answer is led to the inbox, and is told in a chat, once, that they may not write", async () => {
  const tab = await Tab.at(await person({ viewport: { width: 1280, height: 900 } }), `${guarded}/`, undefined, { serverMayRefuse: true });
  await signIn(tab, EVE);
  await tab.page.getByRole("heading", { name: "Waiting for you" }).waitFor();
  assert.equal(await tab.at("account").textContent(), "eve");
  await tab.page.goto(`${guarded}/?thread=${crypto.randomUUID()}`);
  await tab.at("may-not-write").waitFor();
  assert.match(await tab.at("may-not-write").textContent(), /You may answer questions/);
  for (const hook of ["empty", "new-chat", "durable-banner"]) assert.equal(await tab.at(hook).count(), 0, hook);
  assert.ok(!(await tab.at("composer").isVisible()));
  assert.deepEqual(await barriers(tab.page), []);
  await tab.shot("137-may-not-write");
  await tab.at("may-not-write").getByRole("link").click();
  await tab.page.getByRole("heading", { name: "Waiting for you" }).waitFor();
});
