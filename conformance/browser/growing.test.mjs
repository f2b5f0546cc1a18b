// What is under way is seen to be under way.

import assert from "node:assert/strict";
import { barriers, embedded, person, steps, Tab, test, until } from "./lane.mjs";

test("the arguments of a call fill in, and the agent is seen to work until it is done", async () => {
  const context = await person();
  const tab = await Tab.open(context, steps);
  await tab.at("empty").waitFor();
  assert.equal(await tab.at("command-button").count(), 0, "commands of another agent are not offered");
  assert.equal(await tab.at("durable-banner").textContent(), "Chats end with the server. redisstore.Open keeps them.");
  await tab.shot("72-empty-of-any-agent");
  assert.equal(await tab.at("working").count(), 0);
  // Looked at from inside, where no picture is missed.
  await tab.page.evaluate(() => {
    window.pictures = [];
    const look = () => {
      const [card] = document.querySelectorAll('[data-testid="tool-card"]');
      const picture = {
        args: card?.querySelector('[data-testid="tool-args"]')?.textContent ?? "",
        state: card?.dataset.state,
        working: document.querySelector('[data-testid="working"]')?.textContent,
      };
      if (JSON.stringify(window.pictures.at(-1)) !== JSON.stringify(picture)) window.pictures.push(picture);
    };
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
  });
  await tab.say("type");
  await tab.at("tool-card").waitFor();
  await tab.at("tool-card").locator("summary").first().click();
  await tab.at("tool-args").waitFor();
  await tab.shot("73-arguments");
  await tab.at("tool-result").waitFor();
  await tab.rest();
  await until(async () => (await tab.at("working").count()) === 0, "nothing works any more");
  const pictures = await tab.page.evaluate(() => window.pictures);
  const growing = pictures.filter(({ args, state }) => args.startsWith("{") && state === "working");
  const lengths = new Set(growing.map(({ args }) => args.replace(/\s/g, "").length));
  assert.ok(lengths.size >= 4, `the arguments grow: ${[...lengths]}`);
  assert.deepEqual([...lengths], [...lengths].sort((one, other) => one - other), "and never shrink");
  assert.ok(growing.every(({ working }) => /The agent is working/.test(working)), "all the while the agent is said to work");
  assert.equal(pictures.at(-1).state, "done");
  assert.match(pictures.at(-1).args, /^Toada@example\.com/, "and are fields in the end");
});

test("the agent is seen to work before it has said anything, and in tabs that only look on", async () => {
  const context = await person();
  const tab = await Tab.open(context, embedded);
  const other = await Tab.open(context, embedded, tab.threadId);
  await tab.say("/slow 2000 50");
  await tab.at("working").waitFor();
  await other.at("working").waitFor();
  assert.equal(await other.at("status").getAttribute("data-running"), "true");
  assert.match(await other.at("status").textContent(), /Working/);
  assert.deepEqual(await barriers(other.page), []);
  await tab.click("stop");
  for (const one of [tab, other]) {
    await until(async () => (await one.at("working").count()) === 0, "nothing works any more");
    await until(async () => /Connected/.test(await one.at("status").textContent()), "the connection says so");
  }
});
