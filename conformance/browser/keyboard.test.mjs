// Every place is used with the keyboard alone.

import assert from "node:assert/strict";
import { embedded, person, Tab, test, unique, until } from "./lane.mjs";

/** More presses than this would wear anybody out. */
const PRESSES = 250;

const focused = (locator) => locator.evaluate((element) => element === document.activeElement);

/** Goes from element to element until it is there. */
async function reach(tab, locator, key = "Tab") {
  await tab.front();
  await locator.waitFor();
  for (let i = 0; i < PRESSES; i++) {
    if (await focused(locator)) return;
    await tab.page.keyboard.press(key);
  }
  assert.fail(`${locator} is not reached`);
}

async function press(tab, locator, key = "Enter", way = "Tab") {
  await reach(tab, locator, way);
  await tab.takes(locator);
  await tab.page.keyboard.press(key);
}

test("with the keyboard: a form is filled in, and its faults are corrected", async () => {
  const tab = await Tab.open(await person(), embedded);
  const { keyboard } = tab.page;
  await tab.say("/form");
  await tab.asked("input_required");
  await press(tab, tab.at("submit-form"), "Enter", "Shift+Tab");
  await tab.at("interrupt").getByRole("alert").first().waitFor();
  await reach(tab, tab.at("field-quarter"), "Shift+Tab");
  await keyboard.press("ArrowDown");
  let quarter;
  const chosen = () => tab.at("field-quarter").evaluate((select) => select.selectedOptions[0].textContent);
  await until(async () => /^Q\d$/.test((quarter = await chosen())), "a quarter is chosen");
  await reach(tab, tab.at("field-year"));
  await keyboard.type("2026");
  await reach(tab, tab.at("field-revenue"));
  await keyboard.type("1.5");
  await press(tab, tab.at("submit-form"));
  await tab.says("}");
  assert.deepEqual(JSON.parse(/\{.*\}/.exec(await tab.last())[0]), { quarter, year: 2026, revenue: 1.5 });
});

test("with the keyboard: a thread is chosen from the list, and another is deleted", async () => {
  const context = await person({ viewport: { width: 1280, height: 900 } });
  const tab = await Tab.open(context, embedded);
  const { keyboard } = tab.page;
  const word = unique("kept");
  const row = (threadId) => tab.page.locator(`[data-testid="thread"][data-thread-id="${threadId}"]`);
  await tab.say(`/say ${word}`);
  await tab.says(word);
  await press(tab, tab.at("new-chat"), "Enter", "Shift+Tab");
  await tab.at("empty").waitFor();
  await tab.say("/say to be forgotten");
  await tab.says("to be forgotten");
  await tab.rest();
  const doomed = new URL(tab.page.url()).searchParams.get("thread");
  assert.notEqual(doomed, tab.threadId);
  await until(async () => (await row(doomed).getByTestId("delete-thread").count()) === 1, "the thread can be deleted");
  await press(tab, row(tab.threadId).locator("a"), "Enter", "Shift+Tab");
  await tab.says(word);
  await press(tab, row(doomed).locator("a"), "F2", "Shift+Tab");
  await until(() => focused(tab.at("rename")), "its title is written where it stands");
  await keyboard.type("Called otherwise");
  await keyboard.press("Enter");
  await until(async () => /Called otherwise/.test(await row(doomed).textContent()), "it has the other title");
  await until(() => focused(row(doomed).getByTestId("rename-thread")), "the keyboard goes on where it was");
  await press(tab, row(doomed).getByTestId("delete-thread"), "Enter", "Shift+Tab");
  await until(async () => (await fetch(`${embedded}/v1/threads/${doomed}`)).status === 404, "the thread is gone");
  await until(async () => (await tab.at("deleted").count()) === 0, "there is nothing left to take back");
  assert.equal(await row(doomed).count(), 0);
});

test("with the keyboard: the inbox is filtered and answered, and a run is cancelled as an operator", async () => {
  const context = await person();
  const form = await Tab.open(context, embedded);
  await form.say("/form");
  await form.asked("input_required");
  const tab = await Tab.open(context, embedded);
  const { keyboard } = tab.page;
  await tab.say("/confirm With the keyboard?");
  await tab.asked("confirmation");
  await press(tab, tab.at("go-inbox"), "Enter", "Shift+Tab");
  await press(tab, tab.at("inbox-reason").locator("summary"));
  const kind = tab.at("inbox-reason").locator('[data-value="confirmation"]');
  await until(() => focused(tab.at("inbox-reason").locator('[data-value=""]')), "what is chosen has the focus");
  await reach(tab, kind, "ArrowDown");
  await keyboard.press("Enter");
  await until(async () => (await tab.at("inbox-reason").getAttribute("data-value")) === "confirmation", "the filter is chosen");
  const item = tab.page.locator(`[data-testid="inbox-item"][data-thread-id="${tab.threadId}"]`);
  await press(tab, tab.row(tab).getByTestId("inbox-pick"));
  await item.waitFor();
  await press(tab, item.getByTestId("approve"));
  await until(async () => (await item.count()) === 0, "what is answered is gone");
  await until(async () => /The agent was told/.test((await tab.at("inbox-said").allTextContents()).join()), "it says so");

  const busy = await Tab.open(context, embedded);
  await busy.say("/slow 2000 50");
  await busy.says("1 2 3");
  await press(tab, tab.at("go-operator"), "Enter", "Shift+Tab");
  await press(tab, tab.at("ops-runs"));
  await press(tab, tab.at("run-filters").locator("> summary"));
  const delivery = tab.at("dispatch-state");
  const [button, opened] = await Promise.all([tab.at("run-filters").locator("> summary").boundingBox(), delivery.boundingBox()]);
  assert.ok(opened.y - button.y < 100, "what opens is at its button, however long the list below is");
  const inMenu = () => delivery.evaluate((menu) => menu.querySelector('[role="menuitemradio"]:focus') !== null);
  await press(tab, delivery.locator("summary"));
  for (const state of ["queued", "claimed"]) {
    await until(inMenu, "the menu is open");
    await keyboard.press("ArrowDown");
    await keyboard.press("Enter");
    await until(async () => (await delivery.getAttribute("data-value")) === state, "the filter is chosen");
    if (state === "queued") await keyboard.press("Enter");
  }
  const run = tab.page.locator(`[data-testid="run"][data-thread-id="${busy.threadId}"][data-state="claimed"]`);
  const opener = run.getByTestId("run-way");
  await press(tab, opener);
  await until(async () => (await opener.getAttribute("aria-expanded")) === "true", "the run is looked at");
  await press(tab, run.getByTestId("cancel-run"));
  await until(async () => /Cancel: done/.test((await tab.at("ops-said").allTextContents()).join()), "it is cancelled");
  await busy.front();
  await busy.rest();
});

test("with the keyboard: the inspector is opened, filtered and read, and the connection's details are", async () => {
  const tab = await Tab.open(await person(), embedded);
  const { keyboard } = tab.page;
  await tab.say("/say inspected");
  await tab.says("inspected");
  await tab.rest();
  await press(tab, tab.at("menu"), "Enter", "Shift+Tab");
  await press(tab, tab.at("developer"));
  await tab.at("position").waitFor();
  await keyboard.press("Escape");
  await until(async () => !(await tab.at("position").isVisible()), "Escape closes them");
  await press(tab, tab.at("menu"));
  await press(tab, tab.at("inspect"));
  await until(() => focused(tab.at("frame-filter")), "who opens it goes on in it");
  await keyboard.type("RUN_FINISHED");
  await until(async () => (await tab.at("frame").count()) === 1, "the filter filters");
  await press(tab, tab.at("frame").locator("summary"));
  await until(async () => /"outcome"|"RUN_FINISHED"/.test(await tab.at("frame").locator("pre").textContent()), "the frame is shown");
  await reach(tab, tab.at("frame").locator("pre"));
  await press(tab, tab.at("close-inspector"), "Enter", "Shift+Tab");
  await until(async () => (await tab.at("inspector").count()) === 0, "it is closed");
});
