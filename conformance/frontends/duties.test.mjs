// The chat that the package's README prints, when the server says no.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Tab } from "./lane.mjs";

// The browser says of each answer that is no success that there was one. The page's inbox has no token.
const own = { composer: 'input[name="text"]', harmless: /status of 401/ };
const bearer = `agui.bearer.${Buffer.from(process.env.AGUIWS_TOKEN).toString("base64url")}`;
const press = (tab, hook) => tab.page.locator(`main .guarded:not([aria-disabled]) [data-testid="${hook}"]`).click();

test("a connection that is refused says why, and a refused approval is told once", async () => {
  const tab = await Tab.open("decision", own, { with: "own" });
  const main = tab.page.locator("main");
  await main.getByText("failed a valid credential is needed", { exact: true }).waitFor();
  await tab.page.addInitScript((protocol) => {
    window.WebSocket = class extends WebSocket {
      constructor(url, protocols) {
        super(url, [...protocols, protocol]);
      }
    };
  }, bearer);
  await tab.reload();
  await tab.page.locator(own.composer).fill('/tool refund {"order":7}');
  await tab.page.locator(own.composer).press("Enter");
  await press(tab, "approve");
  const refusal = main.getByText("whoever asked for this may not approve it");
  await refusal.first().waitFor();
  assert.equal(await refusal.count(), 1);
});
