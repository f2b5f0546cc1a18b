// Agents that other servers serve: what they used is told in the chat, how it goes with them to the operator, and a new
// chat offers them.

import assert from "node:assert/strict";
import { barriers, gateway, person, PHONE, runs, Tab, test, until } from "./lane.mjs";

test("an operator sees how it goes with upstreams, on a desk and on a phone", async () => {
  const context = await person({ viewport: { width: 1280, height: 900 } });
  const chat = await Tab.open(context, gateway);
  await chat.say("hello");
  await chat.says("Good morning.");
  await chat.at("used").waitFor();
  assert.equal(await chat.at("used").textContent(), "1,234 tokens in, 56 out");
  await chat.say("fail now");
  await chat.at("error").waitFor();
  assert.match(await chat.at("error").textContent(), /The agent's server failed/);
  await chat.shot("56-upstream-failed");
  await chat.reload();
  assert.equal(await chat.at("used").textContent(), "1,234 tokens in, 56 out", "it is known after a reload");

  const ops = await Tab.at(context, `${gateway}/ops/upstreams`);
  const rows = ops.at("upstream");
  await until(async () => (await rows.count()) === 2, "there is a row for each upstream");
  const shown = (name) => ops.page.locator(`[data-upstream="${name}"] td`).evaluateAll((cells) => Object.fromEntries(cells.map((cell) => [cell.dataset.label, cell.textContent])));
  const weather = await shown("weather");
  assert.match(weather["Per minute"], /^\d+(\.\d)?$/);
  assert.match(weather["First event, p50 / p95"], /^[\d.]+ m?s \/ [\d.]+ m?s$/);
  // Other tests ask the same agent, so only what this one adds is certain.
  assert.match(weather.Failed, /^[1-9]\d* %$/);
  assert.match(weather.Repairs, /^ids [1-9]\d*$/);
  assert.match(weather.Agent, /^weatherhttp:/, "its address stands below its name");
  assert.match(weather.State, /^(some|all) fail$/);
  assert.deepEqual(
    { ...weather, Agent: "", State: "", "Per minute": "", "First event, p50 / p95": "", Failed: "", Repairs: "", "Last error": weather["Last error"].replace(/\d\d:\d\d:\d\d$/, "TIME") },
    { Agent: "", State: "", "In flight": "0", Waiting: "0", "Per minute": "", Failed: "", "First event, p50 / p95": "", Repairs: "", "Last error": "The agent's server failed upstream_failed TIME" },
  );
  assert.deepEqual({ ...(await shown("the-travel-planner-of-the-whole-company")), Agent: "" }, {
    Agent: "", State: "no requests lately", "In flight": "0", Waiting: "0", "Per minute": "0", Failed: "", "First event, p50 / p95": "", Repairs: "", "Last error": "",
  });
  for (const [width, name] of [[1280, "57-upstreams-wide"], [PHONE, "58-upstreams-phone"]]) {
    await ops.page.setViewportSize({ width, height: 900 });
    const hidden = await ops.page.locator(".upstreams").evaluate((box) => box.scrollWidth - box.clientWidth);
    assert.equal(hidden, 0, `all columns are seen at ${width} pixels`);
    await ops.at("upstream").first().scrollIntoViewIfNeeded();
    await ops.shot(name);
  }
  assert.deepEqual(await barriers(ops.page), []);
});

const TRAVEL = "the-travel-planner-of-the-whole-company";

test("a new chat offers the agents, and goes on with the one that was chosen wherever it is opened", async () => {
  const context = await person({ viewport: { width: 1280, height: 900 } });
  const tab = await Tab.open(context, gateway);
  const offered = tab.at("agents").locator("label");
  await until(async () => (await offered.count()) === 2, "both agents are offered");
  assert.deepEqual(await offered.allTextContents(), ["weatherTells the weather.", TRAVEL]);
  assert.equal(await offered.first().getByRole("radio").isChecked(), true, "the default one is chosen");
  await tab.fill("composer", "hello");
  await offered.last().click();
  await tab.at("empty").waitFor();
  await tab.shot("59-agents");
  assert.deepEqual(await barriers(tab.page), []);
  await tab.click("send");
  await tab.says("Good evening.");
  const withTravel = async (one) => {
    await one.at("with-agent").waitFor();
    assert.equal(await one.at("with-agent").textContent(), `Agent: ${TRAVEL}`);
    assert.equal(await one.at("agents").count(), 0, "no other one is offered");
  };
  await withTravel(tab);
  await tab.reload();
  await withTravel(tab);
  await tab.click("answer-anew");
  await until(async () => (await travels(tab)) === 2, "it answers anew");

  const elsewhere = await Tab.open(await person({ viewport: { width: 1280, height: 900 } }), gateway);
  await elsewhere.page.locator(`[data-testid="thread"][data-thread-id="${tab.threadId}"] a`).first().click();
  await withTravel(elsewhere);
  await elsewhere.connected();
  await elsewhere.say("again");
  await until(async () => (await travels(tab)) === 3, "it answers the other tab");

  const linked = await Tab.at(context, `${gateway}/?agent=${TRAVEL}`);
  await linked.say("hello");
  await linked.says("Good evening.");
});

/** How many runs of the thread are the second agent's, if all are. */
async function travels({ threadId }) {
  const all = await runs(gateway, threadId);
  assert.deepEqual([...new Set(all.map(({ agent }) => agent))], [TRAVEL]);
  return all.length;
}
