// What CopilotKit's hooks do in front of this server, by either way, and for another agent than the first.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Tab, until } from "./lane.mjs";

const hooks = {
  composer: '[data-testid="copilot-chat-textarea"]',
  send: '[data-testid="copilot-send-button"]:not(:has(.lucide-square))',
  assistant: '[data-testid="copilot-assistant-message"]',
};
const shows = (tab, hook, text) => until(async () => (await tab.at(hook).innerText()).trim() === text, `${hook} shows ${text}`);
const press = (tab, name) => tab.page.getByRole("button", { name, exact: true }).click();
const question = (tab) => tab.page.locator(".question");
const asks = (tab) => until(async () => /Shall I look\?\s+\{"city":"Graz"\}/.test(await question(tab).innerText()), "the call is asked about, with its arguments");

for (const by of ["WebSocketAgent", "runtimeUrl"]) {
  const open = (parameters) => Tab.open("hooks", hooks, { by, ...parameters });

  test(`CopilotKit by ${by}: the agent that chat and questions name is given the page's context, state, tools and properties`, async () => {
    const tab = await open({ agent: "weather" });
    await tab.at("set").click();
    for (const [part, said] of [
      ["context", '[{"description":"The room","value":"kitchen"}]'],
      ["state", '{"room":"attic"}'],
      ["tools", '"name":"choose"'],
      ["forwardedProps", '{"shop":"Graz"}'],
    ]) {
      await tab.say(part);
      await tab.says(said);
      await tab.rest();
    }
    await tab.reload();
    await shows(tab, "state", '{"room":"attic"}');
  });

  for (const named of ["agent", "provided"]) {
    test(`CopilotKit by ${by}: a second agent asks, after a reload, too; named by ${named}`, async () => {
      const tab = await open({ [named]: "weather" });
      await tab.say("How is it?");
      await asks(tab);
      await tab.reload();
      await asks(tab);
      await tab.shot(`hooks-${by}-${named}`);
      await press(tab, "Approve");
      await tab.says("It is sunny.");
      assert.equal(await question(tab).count(), 0);
    });
  }

  test(`CopilotKit by ${by}: a call, a component, an activity, the state, thoughts and suggestions are drawn`, async () => {
    const tab = await open();
    await tab.say('/tool paint {"colour":"red"}');
    await question(tab).waitFor();
    await shows(tab, "paint", "red inProgress");
    await press(tab, "Approve");
    await shows(tab, "paint", 'red complete {"executed":true,"args":{"colour":"red"}}');
    await tab.rest();
    await tab.say('/frontend card {"title":"A card"}');
    await shows(tab, "card", "A card");
    await tab.rest();
    await tab.say("/activity");
    await shows(tab, "plan", "look: done, act: to do");
    await tab.rest();
    await tab.say('/state {"a":1}');
    await shows(tab, "state", '{"a":1,"steps":["snapshot","delta"]}');
    await tab.rest();
    await tab.say("/think hard");
    await tab.page.getByText("Thought for").waitFor();
    await tab.rest();
    await press(tab, "Greet");
    await tab.says("good day");
    await tab.rest();
    await tab.reload();
    await shows(tab, "plan", "look: done, act: to do");
    await shows(tab, "paint", 'red complete {"executed":true,"args":{"colour":"red"}}');
  });

  test(`CopilotKit by ${by}: a human in the loop of the page is there after a reload`, async () => {
    const tab = await open();
    await tab.say('/frontend choose {"of":"two"}');
    await shows(tab, "choose", "two executing Blue");
    await tab.reload();
    await shows(tab, "choose", "two executing Blue");
    await press(tab, "Blue");
    await tab.says("The frontend answered choose: blue");
  });

  test(`CopilotKit by ${by}: a run that was paused goes on, and its answer has no payload`, async () => {
    const tab = await open();
    const answers = [];
    tab.page.on("request", (request) => answers.push(...(JSON.parse(request.postData() ?? "{}").resume ?? [])));
    await tab.say("/steps 100 50");
    const pause = () => fetch(`${process.env.AGUIWS_PAGES}/v1/threads/${tab.threadId}/pause`, { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" });
    await until(async () => (await (await pause()).json()).paused, "the run is paused");
    await press(tab, "Go on");
    await tab.rest();
    await until(async () => (await question(tab).count()) === 0, "the question is gone");
    if (by === "runtimeUrl") assert.deepEqual(answers.map(({ status, payload }) => [status, payload]), [["resolved", undefined]]);
  });

  test(`CopilotKit by ${by}: capabilities, and threads that are not listed`, async () => {
    const tab = await open();
    await shows(tab, "threads", by === "runtimeUrl" ? "0 Error: Thread endpoints are not available on this CopilotKit runtime" : "0 Error: Runtime URL is not configured");
    await shows(tab, "capabilities", by === "runtimeUrl" ? "script" : "none");
  });
}
