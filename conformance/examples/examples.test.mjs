// One of the examples with a page of its own, as npm run dev serves it, used as its README says.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { effects, Tab, unique, until } from "../frontends/lane.mjs";
import { asks, hooks, name, press, questions, ready } from "./pages.mjs";

const { AGUIWS_PAGES: address } = process.env;

// Vite makes packages ready when they are asked for the first time, which may take longer than a page waits.
before(async () => {
  const main = await (await fetch(`${address}/src/main.tsx`)).text();
  const packages = [...main.matchAll(/"(\/node_modules\/\.vite\/deps\/[^"]+)"/g)].map(([, path]) => path);
  assert.ok(packages.length > 0, main);
  for (const path of packages) assert.equal((await fetch(address + path)).status, 200, path);
});

test(`examples/${name}: a call is approved after a reload, and carried out once`, async () => {
  const tool = unique("pay");
  const tab = await Tab.open("", hooks);
  await tab.say("/say hello");
  await tab.says("hello");
  await tab.say(`/tool ${tool} {"amount":10}`);
  await asks(tab, 1);
  await tab.reload();
  await asks(tab, 1);
  await until(async () => (await tab.page.locator("pre").allInnerTexts()).join().includes('{"amount":10}'), "what is decided about is shown");
  await tab.shot(`example-${name}`);
  assert.deepEqual(await effects(tool), []);
  await press(tab, "Approve");
  await tab.says(`I have called ${tool}.`);
  await asks(tab, 0);
  assert.deepEqual(await effects(tool), [{ amount: 10 }]);
});

test(`examples/${name}: a form is filled in, and a question declined`, async () => {
  const tab = await Tab.open("", hooks);
  await tab.say("/form");
  await asks(tab, 1);
  if (name === "assistant-ui") {
    await questions(tab).getByLabel("Quarter").selectOption("Q3");
    await questions(tab).getByLabel("Year").fill("2026");
    await questions(tab).getByLabel("Revenue").fill("1.5");
  } else {
    await questions(tab).getByLabel("JSON").fill('{"quarter":"Q3","year":2026,"revenue":1.5}');
  }
  await press(tab, "Send");
  await tab.says("1.5");
  await asks(tab, 0);
  await tab.say("/confirm Book the Adlon?");
  await asks(tab, 1);
  await press(tab, name === "copilotkit" ? "Decline" : "No");
  await tab.says("Declined.");
  await asks(tab, 0);
});

test(`examples/${name}: of two questions both are answered`, async () => {
  const tab = await Tab.open("", hooks);
  await tab.say("/parallel 2");
  await asks(tab, 2);
  await press(tab, "Approve");
  await tab.shot(`example-${name}-two`);
  await ready(tab).last().getByRole("button", { name: "Decline", exact: true }).click();
  await tab.says("called task_1");
  await tab.says("task_2 was declined");
  await asks(tab, 0);
});
