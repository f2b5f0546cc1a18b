// The operator's view: what runs, what could not be delivered, and what to do about it.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { doomed, embedded, kill, person, restart, Tab, until } from "./lane.mjs";

async function runs(server, threadId) {
  const answer = await fetch(`${server}/v1/threads/${encodeURIComponent(threadId)}/runs`);
  return answer.ok ? (await answer.json()).items : [];
}

test("a run in progress is found, and cancelled", async () => {
  const context = await person();
  const chat = await Tab.open(context, embedded);
  await chat.say("/slow 2000 50");
  await chat.says("1 2 3");
  const ops = await Tab.at(context, `${embedded}/ops`);
  const thread = ops.page.locator(`[data-testid="ops-thread"][data-thread-id="${chat.threadId}"]`);
  await thread.getByRole("button").first().click();
  const run = thread.locator('[data-testid="run"][data-state="claimed"]');
  await run.waitFor();
  assert.ok(Number(await ops.at("counts").locator('[data-state="claimed"] dd').textContent()) >= 1);
  await ops.shot("50-operator");
  await run.getByTestId("cancel-run").click();
  await until(async () => /cancelled/.test(await thread.getByTestId("run").first().textContent()), "the run is cancelled");
  await until(async () => (await thread.getByTestId("cancel-run").count()) === 0, "there is nothing left to cancel");
  assert.match(await ops.at("ops-said").textContent(), /Cancel: done/);
  await chat.rest();
  assert.equal(await chat.at("stop").count(), 0);
});

test("a run whose workers are lost again and again is a dead letter, and requeued", async () => {
  const context = await person();
  const threadId = randomUUID();
  const chat = await Tab.open(context, doomed, threadId);
  chat.serverMayDie = true;
  await chat.say("/slow 400 20");
  const claimed = (attempts) => until(
    async () => (await runs(doomed, threadId)).some((run) => run.state === "claimed" && run.attempts === attempts && run.started),
    `attempt ${attempts}`,
  );
  for (let attempt = 1; attempt <= 3; attempt++) {
    await claimed(attempt);
    await kill(2);
    await restart(2);
  }
  const ops = await Tab.at(context, `${doomed}/ops`);
  const letter = ops.page.locator('section[aria-labelledby="letters"] [data-testid="run"]');
  await until(async () => (await letter.count()) === 1, "the dead letter is shown");
  assert.match(await letter.textContent(), /3 of 3/);
  await ops.shot("51-dead-letter");
  await letter.getByTestId("requeue").click();
  await until(async () => (await letter.getByTestId("requeue").count()) === 0, "it is requeued");
  assert.match(await ops.at("ops-said").textContent(), /Requeue: done/);
  await chat.connected();
  await chat.says("399 400");
});
