// What unprepared.test.mjs does, through <CopilotKit runtimeUrl>.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Tab, until } from "../frontends/lane.mjs";
import { a, sentTo, someone, target } from "./lane.mjs";
import { questions } from "./unprepared/questions.mjs";

const hooks = {
  composer: '[data-testid="copilot-chat-textarea"]',
  send: '[data-testid="copilot-send-button"]:not(:has(.lucide-square))',
  assistant: '[data-testid="copilot-assistant-message"]',
  user: '[data-testid="copilot-user-message"]',
};

for (const [word, { asks, answers }] of Object.entries(questions[target])) {
  for (const [name, { copilotkit, sent, says, again }] of Object.entries(answers)) {
    test(`${target}, unprepared, through CopilotKit: ${word}, ${name}`, async () => {
      const to = someone(word);
      const tab = await Tab.open("runtime", hooks, { runtime: `${a}/copilotkit`, all: "1" });
      await tab.say(`${word} ${to}`);
      const question = tab.at("question");
      await until(async () => (await question.count()) === 1, "a question");
      assert.match(await question.locator("p").innerText(), asks);
      const id = await question.getAttribute("data-id");
      if (["approve", "decline", "cancel"].includes(copilotkit)) {
        await tab.at(copilotkit).click();
      } else {
        await tab.at("edits").fill(JSON.stringify(copilotkit));
        await tab.at("answer").click();
      }
      await until(async () => (await tab.page.locator(`[data-testid="question"][data-id="${id}"]`).count()) === 0, "it is asked no more");
      if (says) await tab.says(`${says} to ${to}`);
      await tab.rest();
      await until(async () => (await question.count()) === (again ? 1 : 0), again ? "it is asked again" : "nothing is asked");
      assert.deepEqual(await sentTo(to), sent ? [{ to, ...sent }] : []);
    });
  }
}
