// Takes the README's picture of the page: node web/picture.mjs URL, of a server of this checkout that nobody else uses.
// Needs Chromium, and npm ci in conformance/node.

import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const { chromium } = createRequire(new URL("../conformance/node/", import.meta.url))("playwright-core");
const [server = "http://127.0.0.1:8080"] = process.argv.slice(2);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--hide-scrollbars"],
});
const page = await browser.newPage({ viewport: { width: 1100, height: 760 }, colorScheme: "light" });
page.setDefaultTimeout(20_000);
await page.goto(`${server}/?thread=dinner`);

const say = async (text) => {
  await page.getByTestId("composer").fill(text);
  await page.getByTestId("send").click();
};
await say("Send an email to ada@example.com");
await page.locator('.guarded:not([aria-disabled]) [data-testid="approve"]').click();
await page.getByText("The email to ada@example.com is on its way.").waitFor();
await page.getByTestId("interrupt").waitFor({ state: "detached" });
await say("Send an email to bob@example.com");
await page.getByTestId("interrupt").waitFor();
await page.getByTestId("approve").waitFor();
await page.waitForFunction(() => !document.querySelector(".guarded[aria-disabled]"));
await page.waitForFunction(() => document.getAnimations().every(({ playState }) => playState !== "running"));
await page.evaluate(() => document.fonts.ready);
await page.screenshot({ path: fileURLToPath(new URL("picture.png", import.meta.url)) });
await browser.close();
