// Lists that are longer than a page.

import assert from "node:assert/strict";
import { embedded, person, Tab, test, until } from "./lane.mjs";

test("an operator turns the pages of threads, and of a thread's runs", async () => {
  const context = await person();
  // Pages of one thread, so that few are enough to fill several.
  await context.route(/\/v1\/threads\?limit=50/, (route) => route.continue({ url: route.request().url().replace("limit=50", "limit=1") }));
  // And a run of many, as a long-lived thread has.
  let run;
  await context.route(/\/runs\?.*limit=51/, async (route) => {
    const first = /offset=0(&|$)/.test(route.request().url());
    if (!run) [run] = (await (await route.fetch()).json()).items;
    const many = Array.from({ length: first ? 51 : 1 }, (_, i) => ({ ...run, id: `${first}${i}`, runId: first ? `run-${i}` : "the-last-run" }));
    await route.fulfill({ json: { items: many } });
  });
  const chats = [await Tab.open(context, embedded), await Tab.open(context, embedded)];
  for (const chat of chats) {
    await chat.say("/say listed");
    await chat.says("listed");
    await chat.rest();
  }
  const ops = await Tab.at(context, `${embedded}/ops`);
  await ops.front();
  const shown = async () => (await ops.at("ops-thread").count()) === 1 && (await ops.at("ops-thread").getAttribute("data-thread-id"));
  const pager = ops.page.getByRole("navigation", { name: "Pages of threads" });
  const [older, newer] = chats.map((chat) => chat.threadId);
  await until(async () => (await shown()) === newer, "the latest comes first");
  assert.match(await pager.textContent(), /Page 1/);
  assert.ok(await pager.getByTestId("page-back").isDisabled());
  await pager.getByTestId("page-on").click();
  await until(async () => (await shown()) === older, "then the one before");
  assert.match(await pager.textContent(), /Page 2/);

  await ops.at("ops-thread").getByRole("button").first().click();
  const runs = ops.page.getByRole("navigation", { name: "Pages of runs" });
  await runs.waitFor();
  assert.equal(await ops.at("run").count(), 50);
  await runs.getByTestId("page-on").click();
  await until(async () => (await ops.at("run").allTextContents()).join().includes("the-last-run"), "the last run is found");
  assert.equal(await ops.at("run").count(), 1);
  assert.ok(await runs.getByTestId("page-on").isDisabled());
  await ops.shot("76-pages");
  await runs.getByTestId("page-back").click();
  await until(async () => (await ops.at("run").count()) === 50, "and back");
  await pager.getByTestId("page-back").click();
  await until(async () => (await shown()) === newer, "to the first page");
});
