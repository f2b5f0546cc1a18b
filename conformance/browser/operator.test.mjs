// The operator's view: what runs, what could not be delivered, and what to do about it.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { barriers, BOB, doomed, embedded, guarded, kill, person, PHONE, restart, runs, sends, signIn, steps, Tab, test, unseen, until } from "./lane.mjs";

test("a run in progress is found, and cancelled", async () => {
  const context = await person();
  const chat = await Tab.open(context, embedded);
  await chat.say("/slow 2000 50");
  await chat.says("1 2 3");
  const ops = await Tab.at(context, `${embedded}/ops`, undefined, { serverMayNotKnow: true });
  await until(async () => (await ops.at("sparkline").count()) === 5, "what is done is drawn");
  await ops.at("sparkline").last().hover();
  assert.match(await ops.at("scale").last().textContent(), /^[\d.,]+, (now|\d+ \w+ ago)$/, "a pointer on the line reads one number");
  await until(async () => Number(await ops.at("counts").locator('[data-state="claimed"] dd').textContent()) >= 1, "it is counted");
  assert.match(await ops.at("counts").locator('[data-state="claimed"] a').getAttribute("href"), /\/ops\/runs\?result=running$/, "and its number leads to what is counted");
  const latest = ops.at("latest-run").filter({ has: ops.page.locator(`a[href*="/ops/runs?thread=${chat.threadId}&run="]`) });
  await until(async () => /running/.test(await latest.textContent()), "it is among the latest, which lead to all that is known of them");
  await ops.shot("50-operator");
  await ops.click("ops-servers");
  await until(async () => (await ops.at("node").getAttribute("data-state")) === "serving", "this server is among the servers");
  const about = await ops.at("node-more").textContent();
  assert.match(about, /takes connections.*script/, "what it does is open while it is the only one");
  assert.match(await ops.at("node").textContent(), /[1-9]\d*<? ?\d+% of [\d,]+/);
  await ops.at("node").locator("td").last().click();
  await until(async () => (await ops.at("node-more").count()) === 0, "and the whole row folds it");
  await ops.at("store-server").waitFor();
  await ops.shot("50-operator-servers");
  await ops.click("ops-runs");
  const own = ops.page.locator(`[data-testid="run"][data-thread-id="${chat.threadId}"]`);
  const run = own.and(ops.page.locator('[data-state="claimed"]'));
  await run.waitFor();
  assert.equal(await run.getByTestId("run-state").textContent(), "running");
  await ops.decide(run.getByTestId("cancel-run"));
  await until(async () => /cancelled/.test(await own.first().textContent()), "the run is cancelled");
  await until(async () => (await own.getByTestId("cancel-run").count()) === 0, "there is nothing left to cancel");
  await until(async () => /Cancel: done/.test(await ops.at("ops-said").textContent()), "it says so");
  await chat.rest();
  assert.equal(await chat.at("stop").count(), 0);
  await ops.front();
  await until(async () => (await own.getByTestId("run-state").first().textContent()) === "stopped", "what was stopped is not called done");
  const [{ id }] = await runs(embedded, chat.threadId);
  await ops.fill("find", id);
  await ops.click("find-go");
  await until(async () => (await ops.at("found").getAttribute("data-what")) === "run", "the run is found by its id");
  const way = await ops.at("timeline").textContent();
  assert.match(way, /queued.*started.*stopped.*cancelled by an operator/);
  await ops.shot("50-operator-found");
  await ops.fill("find", "nothing-has-this-id");
  await ops.click("find-go");
  await until(async () => /^No run here has “nothing-has-this-id”\./.test(await ops.at("found").textContent()), "it says that there is none");
  assert.equal(await ops.at("run").count(), 0, "and no other run stands below");
  await ops.click("find-over");
  await until(async () => (await own.count()) > 0, "the runs are there again");
  // Each is a link, that others can be sent.
  const link = own.first().getByTestId("run-way");
  assert.match(await link.getAttribute("href"), new RegExp(`/ops/runs\\?run=${id}$`));
  await link.focus();
  await ops.page.keyboard.press("Enter");
  await until(async () => /^\/ops\/runs\?run=/.test(await ops.page.evaluate(() => location.pathname + location.search)), "Enter chooses it");
  await ops.page.keyboard.press("Space");
  await until(async () => (await ops.at("run-panel").count()) === 0, "and so does the space bar");
});

test("a chat whose latest turn has failed is told by its mark, until another turn is better", async () => {
  const context = await person();
  const chat = await Tab.open(context, embedded);
  await chat.say("/fail out of paper");
  await chat.at("error").waitFor();
  await chat.click("show-threads");
  const row = chat.page.locator(`[data-testid="thread"][data-thread-id="${chat.threadId}"]`);
  await until(async () => /failed just now/.test(await row.innerText()), "the list of chats says that it has failed");
  await chat.shot("121-failed-in-the-list");
  await chat.front();
  await chat.say("/say fine");
  await chat.says("fine");
  await until(async () => !/failed/.test(await row.innerText()), "a turn that succeeds takes the mark away");
  // Of all runs those are shown that came to what is chosen.
  const ops = await Tab.at(context, `${embedded}/ops/runs`);
  const all = ops.page.locator('section[aria-labelledby="all-runs"]');
  const here = all.locator(`[data-thread-id="${chat.threadId}"]`).getByTestId("run-state");
  await until(async () => (await here.allTextContents()).sort().join() === "failed,succeeded", "both runs are listed");
  await ops.choose("run-result", "error");
  await until(async () => (await here.allTextContents()).join() === "failed", "the one that failed is shown");
  assert.ok((await all.getByTestId("run-state").allTextContents()).every((words) => words === "failed"), "and no other kind");
  await all.scrollIntoViewIfNeeded();
  await ops.shot("123-runs-that-failed");
});

test("a run is called by what was asked, and says who stopped it, who answered, and that nobody did", async () => {
  const context = await person();
  const chat = await Tab.at(context, `${guarded}/?thread=${randomUUID()}`, undefined, { serverMayRefuse: true });
  await signIn(chat);
  await chat.connected();
  await chat.say("/say first");
  await chat.says("first");
  await chat.rest();
  await chat.say("/slow 2000 50");
  await chat.says("1 2 3");
  await chat.click("stop");
  await chat.rest();
  await chat.say('/tool pay {"to":"ada","amount":5}');
  await chat.asked("tool_call");
  await chat.decide(chat.at("approve"));
  await chat.asked("tool_call", 0);
  await chat.rest();
  await chat.say("/expire 1");
  await chat.asked("confirmation");
  await chat.click("go-operator");
  await until(async () => /part|no/.test(await chat.at("health").getAttribute("data-well")), "what one may not see is not called well");
  await chat.at("record").locator("summary").click();
  assert.equal(await chat.at("record").getByRole("link").count(), 0, "no number leads to a list of something else");
  assert.deepEqual([await chat.at("ops-servers").count(), await chat.at("ops-upstreams").count()], [0, 0], "no part is shown that may not be read");
  assert.equal(await chat.at("needs-metrics").count(), 1);
  const row = (asked) => chat.page.locator('[data-testid="run"]').filter({ has: chat.page.locator(".run-pick > span:first-child", { hasText: asked }) });
  const state = (asked) => row(asked).getByTestId("run-state").allTextContents();
  await chat.click("ops-runs");
  await chat.choose("run-whose", "own");
  await until(async () => (await state("Slow 2000 50")).join() === "stopped by ann", "who stopped it is told");
  await until(async () => (await state("Please confirm before this expires.")).join() === "expired, nobody answered", "a question whose time is over waits for nobody");
  await until(async () => (await state("Pay to ada")).join() === "succeeded", "a run that goes on has the place of the one that asked, and is called by the question");
  assert.match(await row("Slow 2000 50").textContent(), /first/, "its chat stands below");
  await row("Pay to ada").getByTestId("run-way").click();
  await chat.click("run-asker");
  await until(async () => /pay.*approved by .*ann/is.test(await chat.at("run-asked-then").textContent()), "who answered is told");
  await chat.at("run-call").locator("> summary").click();
  await until(async () => /Amount.*5/s.test(await chat.at("run-call-args").textContent()), "the call has its arguments");
  for (const hook of ["pause", "unpause", "interrupt-thread"]) assert.equal(await chat.at(hook).count(), 0, `${hook} would do nothing`);
  assert.deepEqual(await barriers(chat.page), []);
  await chat.shot("60-run-answered");
  const looked = () => chat.page.locator('[data-testid="run"][data-open="true"]').getAttribute("data-id");
  const ids = [await looked()];
  for (const key of ["j", "j", "k"]) {
    await chat.page.keyboard.press(key);
    await until(async () => (await looked()) !== ids.at(-1), `${key} goes to another run`);
    ids.push(await looked());
  }
  assert.equal(ids[3], ids[1], "and back");
  await chat.page.keyboard.press("Escape");
  await until(async () => (await chat.at("run-panel").count()) === 0, "Escape closes what is known of it");
  await chat.page.keyboard.press("j");
  await chat.page.keyboard.press("Enter");
  await until(() => chat.at("run-panel").evaluate((panel) => panel === document.activeElement).catch(() => false), "j opens one, and Enter goes on in it");
});

test("on a phone, a run takes the place of the list, and the way back leads to it", async () => {
  const context = await person({ viewport: { width: PHONE, height: 844 } });
  const chat = await Tab.open(context, embedded);
  await chat.say("/fail out of ink and paper");
  await chat.at("error").waitFor();
  const ops = await Tab.at(context, `${embedded}/ops`);
  // The first line tells of it, and leads to what failed.
  await ops.at("finding").filter({ hasText: /failed in the last hour/ }).getByRole("link").click();
  const run = ops.page.locator(`[data-testid="run"][data-thread-id="${chat.threadId}"]`);
  await run.waitFor();
  assert.equal(await ops.at("run-result").getAttribute("data-value"), "error");
  assert.match(await run.textContent(), /out of ink and paper.*The agent failed: .*out of ink and paper/);
  const whole = (locator) => locator.evaluate((element) => {
    const { top, left, right } = element.getBoundingClientRect();
    return top >= 0 && top < innerHeight && left >= 0 && right <= innerWidth && element.contains(document.elementFromPoint((left + right) / 2, top + 4));
  });
  await run.click();
  await until(() => whole(ops.at("run-panel")), "what is known of the run is on the screen");
  assert.ok(!(await run.isVisible()), "in the place of the list");
  await until(async () => /^(\/fail )?out of ink and paper/i.test(await ops.at("run-asked").textContent()), "it says what was asked");
  assert.match(await ops.at("run-failure").textContent(), /^The agent failed: .*out of ink and paper\. $/);
  assert.deepEqual(await barriers(ops.page), []);
  await ops.shot("59-run-phone");
  await ops.page.reload();
  await ops.at("run-panel").waitFor();
  await ops.click("panel-back");
  await until(() => whole(run), "the list is there again");
  await run.click();
  await ops.at("run-panel").waitFor();
  await ops.page.goBack();
  await until(() => run.isVisible(), "and so by the browser's own way back");
  assert.equal(await ops.at("run-result").getAttribute("data-value"), "error");
  // A part of the chat's title finds its runs.
  await ops.fill("find", "INK and");
  await ops.click("find-go");
  await ops.at("any-title").waitFor();
  await until(async () => (await run.count()) === 1 && (await ops.at("run").count()) === 1, "the runs of the chat are listed");
});

test("an operator sees what waits for people, and forgets the runs of a chat that has ended some", async () => {
  const context = await person();
  const chat = await Tab.open(context, embedded);
  for (const words of ["one", "two"]) {
    await chat.say(`/say ${words}`);
    await chat.says(words);
    await chat.rest();
  }
  await chat.say("/confirm Sure?");
  await chat.asked("confirmation");
  const ops = await Tab.at(context, `${embedded}/ops`);
  await ops.at("health").waitFor();
  await until(async () => /^Chats wait for an answer[1-9]\d*\s*oldest (now|\d+ \w+)$/i.test(await ops.at("counts").locator('[data-state="asks"]').textContent()), "open questions are counted, and the oldest has an age");
  await ops.click("ops-runs");
  await ops.page.locator(`[data-thread-id="${chat.threadId}"]`).getByTestId("run-way").first().click();
  await ops.click("only-chat");
  await until(async () => (await ops.at("run").count()) === 3, "the runs of the chat are listed");
  await ops.at("run-way").first().click();
  await ops.click("forget");
  assert.match(await ops.at("forget-asks").textContent(), /Forget all runs that have ended\?.*records are lost.*requeued.*decisions stay/);
  await ops.at("forget-send").scrollIntoViewIfNeeded();
  await ops.shot("56-forgets-runs");
  assert.deepEqual(await barriers(ops.page), []);
  await ops.decide(ops.at("forget-send"));
  await until(async () => /Forget runs: 2 runs are forgotten/.test(await ops.at("ops-said").textContent()), "it says how many");
  await until(async () => (await ops.at("run-state").allTextContents()).join() === "waits for an answer", "the one that waits stays");
  await chat.front();
  await chat.decide(chat.at("approve"));
  await chat.asked("confirmation", 0);
});

/** A chat whose agent goes from step to step, and the operator's view of it, its buttons shown. */
async function stepping() {
  const context = await person();
  const chat = await Tab.open(context, steps);
  await chat.say("go on until you are told");
  await until(async () => (await step(chat)) >= 2, "it goes from step to step");
  const ops = await Tab.at(context, `${steps}/ops/runs`);
  const own = ops.page.locator(`[data-testid="run"][data-thread-id="${chat.threadId}"]`);
  const said = (words) => until(async () => words.test((await ops.at("ops-said").allTextContents()).join()), `it says ${words}`);
  const press = async (hook) => {
    await ops.front();
    // The latest run is another one after each answer.
    await until(async () => {
      const latest = own.first();
      if ((await latest.getAttribute("data-open")) !== "true") await latest.getByTestId("run-way").click();
      return (await ops.at(hook).count()) > 0 && ops.at(hook).isEnabled();
    }, `${hook} can be pressed`);
    await ops.decide(ops.at(hook));
  };
  return { chat, ops, own, said, press };
}

const step = async (chat) => Number(/Step (\d+)/.exec(await chat.last())?.[1]);

test("a run is paused at its next step, says so in the chat, and goes on", async () => {
  const { chat, ops, own, said, press } = await stepping();
  await press("pause");
  await said(/Pause: the run stops at its next step/);
  await chat.front();
  const card = (await chat.asked("aguiws:paused")).first();
  assert.match(await card.textContent(), /paused by an operator/);
  await chat.rest();
  const paused = await step(chat);
  await chat.shot("52-paused");
  await ops.front();
  await until(async () => (await ops.at("pause").count()) === 0, "what does not run cannot be paused");
  await ops.shot("53-operator-paused");
  await press("unpause");
  await said(/Go on: the run goes on/);
  await chat.front();
  await until(async () => (await chat.at("interrupt").count()) === 0 && (await step(chat)) > paused, "the chat goes on from where it was");
  // The last one may be about to be told.
  const told = (await chat.seen()).messages.filter((message) => message.role === "assistant").map((message) => message.text).slice(0, -1);
  assert.ok(told.length >= paused);
  assert.deepEqual(told, told.map((_, i) => `Step ${i + 1}`), "no step is told twice or left out");
  // The person who chats can go on as well.
  await press("pause");
  await chat.asked("aguiws:paused");
  await chat.rest();
  const again = await step(chat);
  await chat.click("approve");
  await until(async () => (await step(chat)) > again, "the chat goes on");
  await ops.front();
  await until(async () => (await own.first().getByTestId("run-state").textContent()) === "running", "the run that goes on is listed");
  await press("interrupt-thread");
  await chat.rest();
});

test("all of a thread is stopped: what runs and what waits behind it", async () => {
  const { chat, ops, own, said, press } = await stepping();
  await chat.front();
  await chat.say("and then this");
  await chat.at("queued").waitFor();
  await press("interrupt-thread");
  await said(/Stop all: what ran or waited has ended/);
  await chat.front();
  await chat.rest();
  await until(async () => (await chat.at("queued").count()) === 0, "nothing waits");
  assert.equal(await chat.at("stop").count(), 0);
  await chat.shot("54-stopped");
  await ops.front();
  await until(async () => (await own.count()) === 2 && (await own.getByTestId("cancel-run").count()) === 0, "there is nothing left to cancel");
  await until(async () => (await ops.at("interrupt-thread").count()) === 0, "there is nothing left to stop");
  await ops.shot("55-operator-stopped");
});

test("runs whose workers are lost again and again are dead letters: one is dismissed, one requeued", async () => {
  const context = await person();
  const threadId = randomUUID();
  const chat = await Tab.open(context, doomed, threadId);
  chat.serverMayDie = true;
  await chat.say("/slow 1000 20");
  const other = await Tab.open(context, doomed);
  other.serverMayDie = true;
  await other.say("/slow 1000 20");
  const claimed = async (attempts) => {
    for (const of of [threadId, other.threadId]) {
      const begun = async () => (await runs(doomed, of)).some((run) => run.state === "claimed" && run.attempts === attempts && run.started);
      await until(begun, `attempt ${attempts}`);
    }
  };
  for (let attempt = 1; attempt <= 3; attempt++) {
    await claimed(attempt);
    await kill(2);
    await restart(2);
  }
  const ops = await Tab.at(context, `${doomed}/ops`);
  await until(async () => /2 dead letters wait for a decision/.test(await ops.at("health").textContent()), "the first line says what is not well");
  await ops.at("finding").filter({ hasText: "dead letters" }).getByRole("link").click();
  const letter = ops.page.locator('section[aria-labelledby="letters"] [data-testid="run"]');
  await until(async () => (await letter.count()) === 2, "the dead letters are shown");
  await letter.first().getByTestId("run-way").click();
  assert.match(await ops.at("run-panel").textContent(), /3\. A run becomes a dead letter after 3\./);
  assert.equal(await ops.at("run-letter").getByTestId("requeue").count(), 1, "what can be done stands beside what is known");
  await ops.shot("51-dead-letter");
  const [gone] = await runs(doomed, other.threadId);
  const of = (run) => ops.page.locator(`section[aria-labelledby="letters"] [data-testid="run"][data-run-id="${run.runId}"]`);
  await ops.decide(of(gone).getByTestId("dismiss"));
  await until(async () => (await of(gone).count()) === 0, "it is dismissed");
  await until(async () => /Dismiss: done/.test(await ops.at("ops-said").textContent()), "it says so");
  assert.equal((await runs(doomed, other.threadId))[0].state, "cancelled");
  await ops.decide(letter.getByTestId("requeue"));
  await until(async () => (await letter.count()) === 0, "the other is requeued");
  await until(async () => /Requeue: done/.test(await ops.at("ops-said").textContent()), "it says so");
  // What is counted is what the list has.
  await until(async () => (await ops.at("ops-dead-letters").textContent()) === "Dead letters", "it is counted no more");
  assert.match(await ops.at("letters-none").textContent(), /None are left/);
  assert.deepEqual(await unseen(ops.page), []);
  await ops.shot("51-dead-letter-requeued");
  await chat.connected();
  await chat.says("999 1000");
});

test("an admin sees what failed of others in the tenant, and whose it was", async () => {
  const threadId = await sends(BOB, "/fail the disk is full");
  const ops = await Tab.at(await person(), `${guarded}/ops`, undefined, { serverMayRefuse: true });
  await signIn(ops);
  await until(async () => /disk is full.*failed/.test(await ops.at("latest-run").first().textContent()), "the latest failures of all are named");
  await ops.at("finding").filter({ hasText: /failed in the last hour/ }).getByRole("link").click();
  const run = ops.page.locator(`[data-testid="run"][data-thread-id="${threadId}"]`);
  assert.equal(await run.getByTestId("run-user").textContent(), "bob");
  assert.deepEqual(await barriers(ops.page), []);
  await run.getByTestId("run-way").click();
  await until(async () => (await ops.at("run-failure").textContent()).includes("the disk is full"), "it says why");
  assert.match(await ops.at("run-retry").textContent(), /Only bob can try again/);
  assert.match(await ops.at("run-to-chat").textContent(), /^Open the chat$/);
  assert.match(await ops.at("run-asked").textContent(), /disk is full/, "it is called by what was asked, and so is its chat");
  assert.equal(await ops.at("run-chat").count(), 0, "which is said once");
  // One's own are a choice away, and so is all that others have run.
  await ops.choose("run-whose", "own");
  await until(async () => (await run.count()) === 0, "one's own are shown");
  const asking = await sends(BOB, "/confirm Shall it be printed?");
  await ops.click("ops-runs");
  const waiting = ops.page.locator(`[data-testid="run"][data-thread-id="${asking}"]`);
  await until(async () => /^waits for an answer.*bob.*waits \d+ s/.test((await waiting.allTextContents()).join()), "what waits is listed, and since when");
  await waiting.getByTestId("run-way").click();
  await ops.decide(ops.at("interrupt-thread"));
  await until(async () => /Stop all: what ran or waited has ended/.test((await ops.at("ops-said").allTextContents()).join()), "and is stopped");
  await until(async () => !/waits for an answer/.test((await waiting.allTextContents()).join()), "as the list says");
});
