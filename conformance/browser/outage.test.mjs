// The store stands still under the servers: the page says so, and nothing that was written is lost.

import assert from "node:assert/strict";
import { afterEach } from "node:test";
import { a, effects, freeze, person, Tab, test, thaw, unique, until } from "./lane.mjs";

afterEach(thaw);

async function chat() {
  const tab = await Tab.open(await person(), a);
  tab.serverMayDie = true;
  await tab.say("/say before");
  await tab.says("before");
  await tab.rest();
  return tab;
}

async function stopped(tab) {
  await freeze();
  await tab.at("store-away").waitFor();
  assert.doesNotMatch(await tab.at("status").textContent(), /Connected/);
}

const texts = async (tab) => (await tab.seen()).messages.filter(({ role }) => role === "user").map(({ text }) => text);

test("a message that the store cannot take is pending, outlives a reload, and is taken once when it can", async () => {
  const tab = await chat();
  await stopped(tab);
  await tab.say("/say while it was away");
  const outgoing = tab.at("outgoing");
  await outgoing.waitFor();
  await until(async () => /Not sent yet/.test(await outgoing.textContent()), "it says that it is not sent");
  assert.equal(await outgoing.getAttribute("data-state"), "pending");
  assert.deepEqual(await texts(tab), ["/say before"]);
  await tab.fill("composer", "half a sent");
  await tab.shot("81-store-away");
  await tab.page.reload();
  await outgoing.waitFor();
  assert.match(await outgoing.textContent(), /while it was away/);
  assert.equal(await tab.at("composer").inputValue(), "half a sent");
  await thaw();
  await tab.says("while it was away");
  await until(async () => (await outgoing.count()) === 0, "it is taken");
  await until(async () => (await tab.at("store-away").count()) === 0, "nothing is said of it any more");
  await tab.rest();
  assert.deepEqual(await texts(tab), ["/say before", "/say while it was away"]);
  assert.equal(await tab.at("restated").count(), 0, "nothing was lost, so nothing is said to be");
  await tab.shot("82-store-back");
});

test("an answer that the store cannot take is pending, and carried out once", async () => {
  const tool = unique("pay");
  const tab = await chat();
  await tab.say(`/tool ${tool} {"amount":10}`);
  await tab.asked("tool_call");
  await stopped(tab);
  await tab.click("approve");
  const outgoing = tab.at("outgoing");
  await outgoing.waitFor();
  assert.match(await outgoing.textContent(), /Your answer: Approved “.*, amount 10”/);
  await tab.page.reload();
  await outgoing.waitFor();
  await thaw();
  await tab.says(`I have called ${tool}.`);
  assert.deepEqual(await effects(tool), [{ amount: 10 }]);
  await until(async () => (await outgoing.count()) === 0, "it is taken");
});

test("what the store has not taken can be taken back and written anew", async () => {
  const tab = await chat();
  await stopped(tab);
  await tab.say("/say never to be said");
  await tab.at("outgoing").waitFor();
  await tab.at("edit-unsent").click();
  await until(async () => (await tab.at("composer").inputValue()) === "/say never to be said", "the text is there to be changed");
  await until(async () => (await tab.at("outgoing").count()) === 0, "it is not kept to be sent");
  await thaw();
  await until(async () => (await tab.at("store-away").count()) === 0, "the store is back");
  await tab.say("/say something else");
  await tab.says("something else");
  await tab.reload();
  await tab.says("something else");
  assert.deepEqual(await texts(tab), ["/say before", "/say something else"]);
});
