// One of the examples with a page, before an agent that takes whatever is not false for a yes, and lists false as its no.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Tab } from "../frontends/lane.mjs";
import { asks, hooks, name, press } from "./pages.mjs";

for (const [button, says] of [["No", "Not booked."], ["Yes", "Booked."]]) {
  test(`examples/${name}: ${button} is what the agent lists as that`, async () => {
    const tab = await Tab.open("", hooks);
    await tab.say("book");
    await asks(tab, 1);
    await press(tab, button);
    await tab.says(says);
    await asks(tab, 0);
  });
}
