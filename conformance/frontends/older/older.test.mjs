// Older releases of CopilotKit, as published, with the server under test for their runtime.

import assert from "node:assert/strict";
import { test as nodeTest } from "node:test";
import { effects, numbers, Tab, unique, until } from "../lane.mjs";
import { showing } from "../../node/shown.mjs";

const { AGUIWS_SERVER } = process.env;
const hooks = {
  composer: '[data-testid="copilot-chat-textarea"]',
  send: '[data-testid="copilot-send-button"]',
  assistant: '[data-testid="copilot-assistant-message"]',
  user: '[data-testid="copilot-user-message"]',
};

const asked = (tab) => tab.at("question").waitFor();

/** What was called, as the server did it, and as the page tells it. */
async function called(tab, tool, args) {
  await tab.says(`I have called ${tool}.`);
  await tab.rest();
  await tab.unasked();
  assert.deepEqual(await effects(tool), [args]);
}

for (const [release, parameters] of [
  ["1.52.1", {}],
  ["1.52.1", { dialect: "legacy" }],
  ["1.60.2", { dialect: "legacy" }],
  ["1.61.2", {}],
]) {
  const name = `@copilotkit/react-core ${release}${parameters.dialect ? ` with interruptDialect: ${parameters.dialect}` : ""}`;
  const shot = `older-${release}${parameters.dialect ? `-${parameters.dialect}` : ""}`;
  const test = showing(nodeTest, { client: "@copilotkit/react-core", version: release, way: "`runtimeUrl`" + (parameters.dialect ? ", `interruptDialect`" : ""), lane: "older" }, {
    text: `${name}: text streams, and stays after a reload`,
    question: `${name}: a question is answered where it was put`,
    "question after reload": `${name}: a question outlives a reload, and is answered after it`,
  });
  const open = () => Tab.open(`copilotkit-${release}`, hooks, { runtime: `${AGUIWS_SERVER}/copilotkit`, ...parameters });

  test(`${name}: text streams, and stays after a reload`, async () => {
    const tab = await open();
    await tab.say("/slow 40 20");
    await tab.says("39 40");
    await tab.rest();
    await tab.reload();
    await tab.holds({ said: [numbers(40)], asked: ["/slow 40 20"] });
  });

  test(`${name}: a question is answered where it was put`, async () => {
    const tool = unique("pay");
    const tab = await open();
    await tab.say(`/tool ${tool} {"amount":10}`);
    await asked(tab);
    await tab.shot(`${shot}-asked`);
    await tab.at("edits").fill('{"amount":7}');
    await tab.at("approve-edited").click();
    await called(tab, tool, { amount: 7 });
    await tab.shot(`${shot}-answered`);
    await tab.say("/say what next");
    await tab.says("what next");
  });

  test(`${name}: a question outlives a reload, and is answered after it`, async () => {
    const tool = unique("pay");
    const tab = await open();
    await tab.say(`/tool ${tool} {"amount":10}`);
    await asked(tab);
    const id = await tab.at("question").getAttribute("data-id");
    await tab.reload();
    await asked(tab);
    assert.equal(await tab.at("question").getAttribute("data-id"), id);
    await tab.at("approve").click();
    await called(tab, tool, { amount: 10 });
  });

  test(`${name}: a question is declined, and asked again`, async () => {
    const tool = unique("pay");
    const tab = await open();
    await tab.say(`/tool ${tool} {"amount":10}`);
    await asked(tab);
    await tab.at("decline").click();
    await tab.says(`${tool} was declined`);
    await tab.rest();
    await tab.say(`/tool ${tool} {"amount":11}`);
    await asked(tab);
    await tab.at("approve").click();
    await called(tab, tool, { amount: 11 });
  });

  if (release === "1.61.2") continue; // its resolve(null) is an answer
  test(`${name}: a question is put aside with null`, async () => {
    const tool = unique("pay");
    const tab = await open();
    await tab.say(`/tool ${tool} {"amount":10}`);
    await asked(tab);
    await tab.at("cancel").click();
    await tab.says("was cancelled");
    assert.deepEqual(await effects(tool), []);
  });
}

// Its client refuses to run what does not answer by resume, which its useInterrupt cannot.
nodeTest("@copilotkit/react-core 1.60.2 without interruptDialect: cannot answer, until the page says that it is older", async () => {
  const tool = unique("pay");
  const refused = [];
  const tab = await Tab.open("copilotkit-1.60.2", { ...hooks, harmless: /not addressed by resume/ }, { runtime: `${AGUIWS_SERVER}/copilotkit` });
  tab.page.on("console", (message) => /not addressed by resume/.test(message.text()) && refused.push(message.text()));
  await tab.say(`/tool ${tool} {"amount":10}`);
  await asked(tab);
  await tab.at("approve").click();
  await until(() => refused.length > 0, "the page refuses to answer");
  tab.leaving = true;
  await tab.page.goto(`${tab.page.url()}&dialect=legacy`);
  await asked(tab);
  await tab.at("approve").click();
  await called(tab, tool, { amount: 10 });
});
