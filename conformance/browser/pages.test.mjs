// Lists that are longer than a page.

import assert from "node:assert/strict";
import { embedded, person, Tab, test, until } from "./lane.mjs";

test("an operator turns the pages of runs", async () => {
  const context = await person();
  // Pages of one run, so that few are enough to fill several.
  await context.route(/\/v1\/runs\?limit=50/, (route) => route.continue({ url: route.request().url().replace("limit=50", "limit=1") }));
  const chats = [await Tab.open(context, embedded), await Tab.open(context, embedded)];
  for (const chat of chats) {
    await chat.say("/say listed");
    await chat.says("listed");
    await chat.rest();
  }
  const ops = await Tab.at(context, `${embedded}/ops/runs`);
  await ops.front();
  const shown = async () => (await ops.at("run").count()) === 1 && (await ops.at("run").getAttribute("data-thread-id"));
  const pager = ops.page.getByRole("navigation", { name: "Pages of runs" });
  const [older, newer] = chats.map((chat) => chat.threadId);
  await until(async () => (await shown()) === newer, "the latest comes first");
  assert.match(await pager.textContent(), /Page 1/);
  assert.ok(await pager.getByTestId("page-back").isDisabled());
  await pager.getByTestId("page-on").click();
  await until(async () => (await shown()) === older, "then the one before");
  assert.match(await pager.textContent(), /Page 2/);
  await ops.shot("76-pages");
  await pager.getByTestId("page-back").click();
  await until(async () => (await shown()) === newer, "to the first page");
});

test("older chats come on request, and stay when newer ones come", async () => {
  const context = await person({ viewport: { width: 1280, height: 900 } });
  // Pages of two, so that few chats are enough.
  await context.route(/\/v1\/threads\?limit=50/, (route) => route.continue({ url: route.request().url().replace("limit=50", "limit=2") }));
  const tab = await Tab.open(context, embedded);
  const ids = [];
  for (let i = 0; i < 5; i++) {
    if (i > 0) {
      await tab.click("new-chat");
      await until(async () => (await tab.at("message").count()) === 0, "a new chat is empty");
    }
    await tab.say(`/say older ${i}`);
    await tab.says(`older ${i}`);
    await tab.rest();
    ids.push(new URL(tab.page.url()).searchParams.get("thread"));
  }
  const row = (i) => tab.page.locator(`[data-testid="thread"][data-thread-id="${ids[i]}"]`);
  const shown = async () => (await Promise.all(ids.map((_, i) => row(i).count()))).join("");
  await until(async () => (await shown()) === "00011", "the latest two are listed");
  await tab.at("more-threads").focus();
  await tab.page.keyboard.press("Enter");
  await until(async () => (await shown()) === "01111", "and two more on request");
  await until(() => row(2).locator("a").evaluate((link) => link === document.activeElement), "the keyboard goes on with the first of them");
  const input = await fetch(`${embedded}/v1/threads/${ids[0]}/input`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ text: "/say again" }) });
  assert.equal(input.status, 202);
  await until(async () => (await shown()) === "11111", "what goes on comes to the top, and what it pushes out stays");
  await tab.fill("thread-search", "older 1");
  await until(async () => /^1 found among the latest 5 /.test(await tab.at("thread-found").textContent()), "it is found among those that are there");
  await tab.shot("77-older-chats");
  await tab.fill("thread-search", "");
  await row(1).getByTestId("rename-thread").click();
  await tab.page.keyboard.type(" and renamed");
  await tab.page.keyboard.press("Enter");
  await until(async () => (await row(1).textContent()).includes("and renamed"), "an older one shows its new title");
  assert.equal(await shown(), "11111");
});
