// What is read stays where it is while a question comes, is answered and folds.

import assert from "node:assert/strict";
import { embedded, person, PHONE, Tab, test, until } from "./lane.mjs";

/** Good by the measure of Core Web Vitals is 0.1. */
const MOST = 0.05;

/** What has moved since this was asked last, of what nobody has touched just before, and what it was. */
const shifts = (tab) => tab.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(() => {
  const seen = window.shifted.splice(0);
  done({ sum: seen.reduce((sum, { value }) => sum + value, 0), of: seen.map(({ value, sources }) => `${value.toFixed(4)}: ${sources.join(", ")}`) });
}))));

const watch = (tab) => tab.page.evaluate(() => {
  window.shifted = [];
  window.watching?.disconnect();
  const name = (node) => node?.dataset?.testid ?? (node?.className || node?.nodeName);
  window.watching = new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries()) {
      if (!hadRecentInput) window.shifted.push({ value, sources: sources.map(({ node, previousRect: from, currentRect: to }) => `${name(node)} ${from.y}+${from.height} to ${to.y}+${to.height}`) });
    }
  });
  window.watching.observe({ type: "layout-shift" });
});

for (const width of [1280, PHONE]) {
  test(`${width} pixels: nothing that is read moves while questions come, are answered and fold`, async () => {
    // In a window of its own, which is seen all the while.
    const tab = await Tab.open(await person(), embedded);
    const reader = await Tab.open(await person({ viewport: { width, height: 800 } }), embedded, tab.threadId);
    await tab.say(`/say ${"A long answer that fills the window. ".repeat(40)}`);
    await reader.says("fills the window");
    await tab.rest();
    await reader.rest();
    // The tab that is looked at is the one in which nobody does anything.
    for (const [ask, reason, answer] of [['/tool send {"to":"ada"}', "tool_call", "approve"], ["/confirm Deploy to production?", "confirmation", "approve"], ["/confirm Again?", "confirmation", "decline"]]) {
      await tab.say("/say a pause");
      await tab.says("a pause");
      await tab.rest();
      await reader.rest();
      await watch(reader);
      await tab.say(ask);
      await reader.asked(reason);
      const came = await shifts(reader);
      await tab.decide(tab.at(answer));
      await until(async () => (await reader.at("interrupt").count()) === 0, "it is answered");
      await reader.rest();
      const folded = await shifts(reader);
      await reader.shot(`95-still-${width}-${reason}`);
      console.log(`${width}, ${ask}: ${(came.sum + folded.sum).toFixed(3)}`);
      assert.ok(came.sum + folded.sum < MOST, JSON.stringify({ ask, came, folded }, undefined, 1));
    }
  });
}
