// CopilotKit, as published, with the agent handed to it in `agents__unsafe_dev_only`.

import assert from "node:assert/strict";
import { versionOf } from "../node/shown.mjs";
import { effects, numbers, unique, until } from "./lane.mjs";
import { scenarios } from "./scenarios.mjs";

const { open, asked, test } = scenarios("copilotkit", {
  row: { client: "@copilotkit/react-core", version: versionOf("@copilotkit/react-core", import.meta.dirname), way: "`WebSocketAgent`" },
  reloaded: "copilotkit: a page that is reloaded in mid-stream goes on with the run",
  composer: '[data-testid="copilot-chat-textarea"]',
  // One button, which stops while it shows a square.
  send: '[data-testid="copilot-send-button"]:not(:has(.lucide-square))',
  stop: '[data-testid="copilot-send-button"]:has(.lucide-square)',
  assistant: '[data-testid="copilot-assistant-message"]',
  user: '[data-testid="copilot-user-message"]',
});

test("copilotkit: another thread is shown and worked in while this one asks", async () => {
  const tool = unique("pay");
  const tab = await open();
  await tab.say(`/tool ${tool} {"amount":10}`);
  await asked(tab);
  const id = await tab.at("question").getAttribute("data-id");
  await tab.at("other-thread").click();
  await until(async () => (await tab.asked()).length === 0, "the other thread is empty");
  await tab.say("/say elsewhere");
  await tab.says("elsewhere");
  await tab.rest();
  await tab.at("first-thread").click();
  await asked(tab);
  assert.equal(await tab.at("question").getAttribute("data-id"), id);
  await until(async () => (await tab.asked()).join("\n").trim() === `/tool ${tool} {"amount":10}`, "this thread is shown again");
  await tab.at("approve").click();
  await tab.says(`I have called ${tool}.`);
  assert.deepEqual(await effects(tool), [{ amount: 10 }]);
  assert.equal(tab.sockets, 1);
});

test("copilotkit: another message puts the question aside, where the agent is told so", async () => {
  const tool = unique("pay");
  const tab = await open({ unanswered: "cancel" });
  await tab.say(`/tool ${tool} {"amount":10}`);
  await asked(tab);
  await tab.say("/say something else");
  await tab.says("something else");
  await tab.rest();
  await until(async () => (await tab.at("question").count()) === 0, "the question is gone");
  assert.deepEqual(await effects(tool), []);
  await tab.reload();
  await tab.says("something else");
  assert.equal(await tab.at("question").count(), 0);
});

test("copilotkit: a page that is reloaded in mid-stream goes on with the run", async () => {
  const tab = await open();
  await tab.say("/slow 80 60");
  await tab.says("9 10 11");
  await tab.reload();
  await tab.ends(numbers(80));
  assert.equal((await tab.said()).length, 1);
});

test("copilotkit: a page that follows shows what another one runs, and asks what that one asks", async () => {
  const tool = unique("pay");
  const watching = await open({ follow: "1" });
  const acting = await open({ thread: watching.threadId });
  await acting.say("/say from elsewhere");
  await watching.says("from elsewhere");
  await acting.rest();
  await acting.say(`/tool ${tool} {"amount":10}`);
  await asked(acting);
  await asked(watching);
  await watching.at("approve").click();
  await watching.says(`I have called ${tool}.`);
  assert.deepEqual(await effects(tool), [{ amount: 10 }]);
});
