// An agent that another server serves: what it used is told in the chat, and how it goes with it to the operator.

import assert from "node:assert/strict";
import { barriers, gateway, person, PHONE, Tab, test, until } from "./lane.mjs";

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
