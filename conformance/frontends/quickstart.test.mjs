// docs/httpagent.md: the page that it prints, over HTTP.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Tab, until } from "./lane.mjs";

const open = () => Tab.open("quickstart", {});
const button = (tab, name) => tab.page.getByRole("button", { name, exact: true });
const shows = async (tab, text) => {
  await tab.page.getByText(text, { exact: true }).waitFor();
  await tab.page.locator("input:enabled").waitFor(); // nothing goes on
};
const say = async (tab, text) => {
  await tab.page.locator("input:enabled").fill(text);
  await tab.page.locator("input").press("Enter");
};

test("quickstart: a question is there after a reload, and is answered", async () => {
  const tab = await open();
  await say(tab, "/confirm Book the Adlon?");
  await button(tab, "Yes").waitFor();
  await tab.reload();
  await button(tab, "Yes").click();
  await shows(tab, "Confirmed.");
  await until(async () => (await button(tab, "Yes").count()) === 0, "no question");
  await say(tab, "/say again");
  await shows(tab, "again");
});

test("quickstart: a call shows its arguments; of two questions both are answered", async () => {
  const tab = await open();
  await say(tab, "/parallel 2");
  await button(tab, "Approve").nth(1).waitFor();
  await button(tab, "Approve").first().click();
  await tab.page.getByText("✓").waitFor();
  await button(tab, "Decline").last().click();
  await until(async () => (await button(tab, "Approve").count()) === 0, "no question");
});

test("quickstart: a question that only can be cancelled is cancelled", async () => {
  const tab = await open();
  await say(tab, "/form");
  await button(tab, "Cancel").click();
  await until(async () => (await button(tab, "Cancel").count()) === 0, "no question");
  await say(tab, "/say again");
  await shows(tab, "again");
});

test("quickstart: a run is stopped, after a reload, too, and the chat goes on", async () => {
  const tab = await open();
  const stop = async () => {
    await tab.page.getByText("9 10 11").waitFor();
    await button(tab, "Stop").click();
    await tab.page.locator("input:enabled").waitFor();
  };
  await say(tab, "/slow 1000 20");
  await stop();
  await say(tab, "/say once more");
  await shows(tab, "once more");
  await say(tab, "/slow 2000 20");
  await until(async () => (await tab.page.getByText("9 10 11").count()) === 2, "the second run");
  await tab.reload();
  await button(tab, "Stop").click();
  await say(tab, "/say hello");
  await shows(tab, "hello");
  const text = await tab.page.locator("body").innerText();
  assert.ok(!/\b(1000|2000)\b/.test(text.replaceAll("/slow 1000", "").replaceAll("/slow 2000", "")), text);
});
