// Servers die under the page, and the page goes on.

import assert from "node:assert/strict";
import { a, b, doomed, effects, kill, numbers, person, restart, same, Tab, test, unique, until } from "./lane.mjs";

async function away(tab) {
  await until(async () => (await tab.at("status").getAttribute("data-state")) !== "connected", "the tab has noticed");
}

test("a question outlives its server, and is approved in the same tab", async () => {
  const tool = unique("pay");
  const tab = await Tab.open(await person(), a);
  tab.serverMayDie = true;
  await tab.say("/say before");
  await tab.says("before");
  await tab.say(`/tool ${tool} {"amount":10}`);
  await tab.asked("tool_call");
  await kill(0);
  await away(tab);
  await tab.at("away").waitFor();
  await tab.shot("20-server-killed");
  await restart(0);
  await tab.connected();
  await until(async () => (await tab.at("away").count()) === 0, "nothing is said of it any more");
  await tab.asked("tool_call");
  await tab.click("approve");
  await tab.says(`I have called ${tool}.`);
  await tab.shot("21-approved-after-restart");
  assert.deepEqual(await effects(tool), [{ amount: 10 }]);
  await tab.say("/say after");
  await tab.says("after");
  const seen = await same(tab);
  assert.equal(seen.messages.filter((message) => message.role === "user").length, 3);
});

test("parts of the page that did not load come when the server is back", async () => {
  const tab = await Tab.open(await person(), a);
  tab.serverMayDie = true;
  const refused = [];
  const refuse = (route) => {
    refused.push(route.request().url());
    return route.abort();
  };
  await tab.page.route("**/assets/*", refuse);
  await tab.say("/say **bold** words");
  await tab.says("**bold** words");
  await until(() => refused.some((url) => /Markdown/.test(url)), "a part was asked for in vain");
  await tab.page.unroute("**/assets/*", refuse);
  await tab.page.locator(".markdown strong").waitFor();
});

test("an approval given while the server is down is carried out once", async () => {
  const tool = unique("pay");
  const tab = await Tab.open(await person(), a);
  tab.serverMayDie = true;
  await tab.say(`/tool ${tool} {"amount":10}`);
  await tab.asked("tool_call");
  await kill(0);
  await away(tab);
  await tab.click("approve");
  await restart(0);
  await tab.says(`I have called ${tool}.`);
  assert.deepEqual(await effects(tool), [{ amount: 10 }]);
  await same(tab);
});

test("a run in mid-stream outlives its server", async () => {
  const context = await person();
  const tab = await Tab.open(context, a);
  const other = await Tab.open(context, b, tab.threadId);
  tab.serverMayDie = true;
  await tab.say("/slow 60 40");
  await tab.says(" 10 ");
  await kill(0);
  await other.says(" 30 ");
  assert.match(await other.at("taken-over").textContent(), /The worker was lost; (going|another went) on from the last saved step/, "it is said that another went on");
  await other.shot("25-taken-over");
  await restart(0);
  await other.says("59 60");
  await tab.connected();
  const seen = await same(tab, other);
  assert.equal(seen.messages.at(-1).text.trim(), numbers(60));
});

test("two servers on one Redis, a tab on each", async () => {
  const tool = unique("pay");
  const context = await person();
  const here = await Tab.open(context, a);
  const there = await Tab.open(context, b, here.threadId);
  await here.say("/slow 30 20");
  await there.says("29 30");
  await here.rest();
  await here.say(`/tool ${tool} {"amount":1}`);
  await there.asked("tool_call");
  await there.click("approve");
  await here.says(`I have called ${tool}.`);
  await there.say(`/tool ${tool} {"amount":2}`);
  await here.asked("tool_call");
  await here.click("approve");
  await there.says(`I have called ${tool}.`);
  await same(here, there);
  assert.deepEqual(await effects(tool), [{ amount: 1 }, { amount: 2 }]);
  await there.shot("22-other-server");
});

test("a person says whether a call took place that nobody could record", async () => {
  const tool = unique("pay");
  const context = await person();
  const tab = await Tab.open(context, doomed);
  tab.serverMayDie = true;
  await tab.say(`/tool ${tool} {"amount":10}`);
  await tab.asked("tool_call");
  await tab.click("approve");
  await away(tab);
  await restart(2);
  await tab.connected();
  await tab.asked("aguiws:uncertain_step");
  await tab.shot("23-uncertain");
  await tab.reload();
  await tab.asked("aguiws:uncertain_step");
  await tab.front();
  assert.deepEqual(await tab.at("choice").allTextContents(), ["Do it again", "It was done", "Give up"]);
  await tab.click("otherwise");
  await tab.at("field-action").selectOption({ label: "done" });
  await tab.fill("field-result", '{"executed":true}');
  await tab.click("submit-form");
  await tab.says(`I have called ${tool}.`);
  assert.deepEqual(await effects(tool), [{ amount: 10 }]);
  await same(tab);
  await tab.shot("24-certain");
});
