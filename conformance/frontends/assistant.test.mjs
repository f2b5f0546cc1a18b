// assistant-ui, as published, with the agent handed to useAgUiRuntime.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { effects, numbers, unique, until } from "./lane.mjs";
import { scenarios } from "./scenarios.mjs";

const page = process.env.AGUIWS_PAGE;
const folder = page === "assistant" ? "@assistant-ui/react-ag-ui" : `assistant-ui-react-ag-ui-${page.slice("assistant-".length)}`;
const { name, version } = JSON.parse(await readFile(`node_modules/${folder}/package.json`, "utf8"));
const frontend = `${name} ${version}`;
const file = `assistant-ui-${version}`;

const { open, asked, last, test } = scenarios(frontend, {
  row: { client: name, version, way: "`@aguiws/client/assistant-ui`" },
  reloaded: `${frontend}: a page that is reloaded in mid-run shows the run, and stops it`,
  page,
  shots: file,
  composer: '[data-testid="composer"]',
  send: '[data-testid="send"]',
  stop: '[data-testid="stop"]',
  assistant: '[data-testid="assistant"]',
  user: '[data-testid="user"]',
});

test(`${frontend}: another message puts the question aside`, async () => {
  const tool = unique("pay");
  const tab = await open();
  await tab.say(`/tool ${tool} {"amount":10}`);
  await asked(tab);
  await tab.at("steer-away").click();
  await tab.says("something else");
  await tab.rest();
  await tab.unasked();
  assert.deepEqual(await effects(tool), []);
  await tab.reload();
  await tab.says("something else");
  await tab.unasked();
});

test(`${frontend}: a question that has expired can be put aside`, async () => {
  const tab = await open();
  await tab.say("/expire 1");
  await asked(tab);
  const deadline = await tab.agent((agent) => Date.parse(agent.pendingInterrupts[0].expiresAt));
  await until(() => Date.now() > deadline + 100, "the deadline");
  await tab.at("steer-away").click();
  await tab.says("something else");
});

test(`${frontend}: the state is shown`, async () => {
  const tab = await open();
  await tab.say('/state {"count":1}');
  await tab.says("The state is set.");
  await until(async () => /"count":1/.test(await tab.at("state").textContent()), "the state is shown");
});

test(`${frontend}: a component that goes away leaves the run alone`, async () => {
  const tab = await open();
  await tab.say("/slow 160 40");
  await tab.says("9 10 11");
  await tab.page.evaluate(() => window.unmount());
  await tab.reload();
  await tab.says("159 160");
  await tab.ends(numbers(160));
});

for (const how of ["keyed", "unkeyed"]) {
  test(`${frontend}: another thread is shown, ${how}, and the run of the first goes on`, async () => {
    const tab = await open({ [how]: "" });
    await tab.say("/slow 160 40");
    await tab.says("9 10 11");
    await tab.page.evaluate((id) => window.showThread(id), `${tab.threadId}-2`);
    await tab.holds({ said: [], asked: [] });
    await tab.at("send").waitFor();
    await tab.say("/say elsewhere");
    await tab.holds({ said: ["elsewhere"], asked: ["/say elsewhere"] });
    await tab.rest();
    await tab.page.evaluate((id) => window.showThread(id), tab.threadId);
    await tab.says("159 160");
    await tab.holds({ said: [numbers(160)], asked: ["/slow 160 40"] });
    await tab.page.evaluate((id) => window.showThread(id), `${tab.threadId}-2`);
    await tab.holds({ said: ["elsewhere"], asked: ["/say elsewhere"] });
  });
}

test(`${frontend}: a page that is reloaded in mid-run shows the run, and stops it`, async () => {
  const tab = await open();
  await tab.say("/slow 1000 20");
  await tab.says("9 10 11");
  await tab.reload();
  const lengths = new Set();
  await until(async () => lengths.add((await last(tab)).length) && lengths.size > 5, "the text grows");
  await tab.holds({ asked: ["/slow 1000 20"] });
  await tab.at("stop").click();
  await tab.rest();
  await tab.unasked();
  const text = await tab.agent((agent) => agent.messages.at(-1).content.trim());
  assert.ok(!text.includes("1000"), text);
  await tab.holds({ said: [text], asked: ["/slow 1000 20"] });
  await tab.say("/say hello");
  await tab.says("hello");
  await tab.reload();
  await tab.holds({ said: [text, "hello"], asked: ["/slow 1000 20", "/say hello"] });
});

test(`${frontend}: a question is shown after a reload where nothing was said before it`, async () => {
  const tab = await open();
  await tab.say("/confirm Book the Adlon?");
  await asked(tab);
  for (let i = 0; i < 2; i++) {
    await tab.reload();
    await asked(tab);
  }
  await tab.at("approve").click();
  await tab.says("Confirmed.");
  await tab.rest();
  await tab.unasked();
  const roles = () => tab.agent((agent) => agent.messages.map(({ role }) => role));
  assert.deepEqual(await roles(), ["user", "assistant"]);
  await tab.say("/confirm And the Ritz?");
  await asked(tab);
  await tab.reload();
  await asked(tab);
  await tab.at("cancel").click();
  await tab.says("Cancelled.");
  await tab.reload();
  await tab.holds({ asked: ["/confirm Book the Adlon?", "/confirm And the Ritz?"], said: ["Confirmed.", "Cancelled."] });
});

test(`${frontend}: what another page asks for is shown here, and its question answered there`, async () => {
  const tab = await open();
  const other = await open({ thread: tab.threadId });
  await tab.say("/slow 120 40");
  await other.says("9 10 11");
  await other.at("stop").waitFor();
  await other.says("119 120");
  await other.holds({ said: [numbers(120)], asked: ["/slow 120 40"] });
  await tab.rest();
  await tab.say("/confirm Book the Adlon?");
  await asked(tab);
  await asked(other);
  await other.at("approve").click();
  await other.says("Confirmed.");
  await tab.unasked();
  await tab.says("Confirmed.");
  await other.rest();
  await other.say("/say back to you");
  await tab.says("back to you");
  for (const one of [tab, other]) {
    const said = async () => (await one.said()).filter((text) => text.trim()).map((text) => text.trim());
    // The message that a question was at is empty.
    await until(async () => (await said()).join("|") === [numbers(120), "Confirmed.", "back to you"].join("|"), "all that was said");
    await one.holds({ asked: ["/slow 120 40", "/confirm Book the Adlon?", "/say back to you"] });
  }
});

test(`${frontend}: a run of another page is stopped here`, async () => {
  const tab = await open();
  const other = await open({ thread: tab.threadId });
  await tab.say("/slow 1000 20");
  await other.says("9 10 11");
  await other.at("stop").click();
  await tab.rest();
  await other.rest();
  assert.ok(!(await last(tab)).includes("1000"));
  await other.say("/say hello");
  await other.says("hello");
  await tab.says("hello");
});

test(`${frontend}: a tool of the page's own is called where the run was asked for, and nowhere else`, async () => {
  const tab = await open();
  const other = await open({ thread: tab.threadId });
  await tab.say("/frontend where {}");
  await other.says("where {}");
  await tab.says("in a browser");
  await tab.rest();
  await tab.say("/say what next");
  await other.says("what next");
  assert.deepEqual(await Promise.all([tab, other].map((one) => one.page.evaluate(() => window.calls()))), [1, 0]);
});

test(`${frontend}: an answer that is refused leaves the question, and another answer works`, async () => {
  const tab = await open();
  await tab.say("/form");
  await asked(tab);
  const id = await tab.at("question").getAttribute("data-id");
  await tab.at("approve").click();
  await tab.at("refusal").waitFor();
  await asked(tab);
  assert.equal(await tab.at("question").getAttribute("data-id"), id);
  await tab.at("cancel").click();
  await tab.says("The form was cancelled.");
  await tab.unasked();
});
