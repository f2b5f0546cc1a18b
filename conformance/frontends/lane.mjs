// What the tests share: Chromium, tabs on the pages, and the power to cut the network.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { after, afterEach, before } from "node:test";
import { chromium } from "playwright-core";

const PATIENCE_MS = 60_000;
const POLL_MS = 10;
const { AGUIWS_BROWSER, AGUIWS_CONTROL, AGUIWS_EFFECTS, AGUIWS_PAGES, AGUIWS_SHOTS } = process.env;

let browser;
let context;
let tab; // the one that was opened last
const complaints = [];

before(async () => {
  browser = await chromium.launch({
    executablePath: AGUIWS_BROWSER,
    args: [
      "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
      "--disable-component-update", "--disable-sync",
    ],
  });
});
after(() => browser?.close());
afterEach(async () => {
  await context?.close();
  context = tab = undefined;
  assert.deepEqual(complaints.splice(0), [], "the page has complained");
});

/** A tab on one of the pages. `hooks` says where a frontend shows what. */
export class Tab {
  static async open(frontend, hooks, parameters = {}) {
    const opened = (tab = new Tab());
    tab.hooks = hooks;
    tab.threadId = randomUUID();
    context ??= await browser.newContext({ viewport: { width: 900, height: 1000 } });
    context.setDefaultTimeout(PATIENCE_MS);
    tab.page = await context.newPage();
    tab.page.on("pageerror", (error) => hooks.harmless?.test(String(error)) || complaints.push(String(error)));
    tab.page.on("console", (message) => {
      if (!["error", "warning"].includes(message.type())) return;
      // That the network is down is what the test wants.
      if (/WebSocket connection to|ERR_INTERNET_DISCONNECTED/.test(message.text())) return;
      if (hooks.harmless?.test(message.text())) return;
      // What a document that is being left has asked for is not answered any more.
      if (opened.leaving && /Failed to fetch|network error|abort/i.test(message.text())) return;
      complaints.push(message.text());
    });
    tab.page.on("framenavigated", (frame) => frame.parentFrame() || (opened.leaving = false));
    tab.sockets = 0;
    tab.page.on("websocket", () => tab.sockets++);
    const address = new URLSearchParams({ thread: tab.threadId, ...parameters });
    await tab.page.goto(`${AGUIWS_PAGES}/${frontend}?${address}`);
    return tab;
  }

  at(hook) {
    return this.page.getByTestId(hook);
  }

  async reload() {
    this.leaving = true;
    await this.page.reload();
  }

  async say(text) {
    await this.page.locator(this.hooks.composer).fill(text);
    await this.page.locator(this.hooks.send).click();
  }

  /** What the agent has said, as it is shown. */
  said() {
    return this.page.locator(this.hooks.assistant).allInnerTexts();
  }

  /** What the person has said, as it is shown. */
  asked() {
    return this.page.locator(this.hooks.user).allInnerTexts();
  }

  async says(text) {
    await until(async () => (await this.said()).join("\n").includes(text), `the page shows ${JSON.stringify(text)}`);
  }

  /**
   * The page comes to show this, and nothing else, as what the agent has said last: a frontend may be still at it when
   * the run has ended.
   */
  async ends(text) {
    const said = async () => ((await this.said()).at(-1) ?? "").trim();
    await until(async () => (text instanceof RegExp ? text.test(await said()) : (await said()) === text), `the page ends with ${text}`);
  }

  /** The page comes to show this much of what was said, and no more. */
  async holds({ said, asked }) {
    const trimmed = (texts) => JSON.stringify(texts.map((text) => text.trim()));
    if (said) await until(async () => trimmed(await this.said()) === JSON.stringify(said), `the agent has said ${said}`);
    if (asked) await until(async () => trimmed(await this.asked()) === JSON.stringify(asked), `the person has said ${asked}`);
  }

  /** The questions go away. */
  async unasked() {
    await until(async () => (await this.at("question").count()) === 0, "no question is shown");
  }

  /** The agent as the page holds it. */
  agent(read, argument) {
    return this.page.evaluate(`(${read})(window.agent, ${JSON.stringify(argument ?? null)})`);
  }

  async rest() {
    await until(async () => !(await this.agent((agent) => agent.isRunning)), "no run is in progress");
  }

  /** What the page holds, for a failure that somebody has to explain. */
  async account() {
    const held = await this.agent(({ isRunning, connection, pendingInterrupts, messages }) =>
      JSON.stringify({ isRunning, connection, pendingInterrupts, messages: messages.slice(-3) })).catch(String);
    return `the agent: ${held}; the page: ${await this.page.locator("body").innerText().catch(String)}`;
  }

  async shot(name) {
    await this.page.screenshot({ path: path.join(AGUIWS_SHOTS, `${name}.png`) });
  }
}

export async function until(holds, what) {
  let failure = "";
  // A page that is loading has no agent yet.
  const now = async () => {
    try {
      return await holds();
    } catch (error) {
      failure = `${error};`;
      return false;
    }
  };
  for (const deadline = Date.now() + PATIENCE_MS; !(await now()); ) {
    if (Date.now() > deadline) throw new Error(`never: ${what}; ${failure} ${await tab?.account()}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/**
 * Cuts every connection to the server, and refuses new ones, for this long. `meanwhile` may answer a check that is made
 * just before the network is back.
 */
export async function withoutNetwork(ms, meanwhile) {
  await control("down");
  try {
    const over = new Promise((resolve) => setTimeout(resolve, ms));
    const check = await meanwhile();
    await over;
    await check?.();
  } finally {
    await control("up");
  }
}

async function control(what) {
  const answer = await fetch(`${AGUIWS_CONTROL}/${what}`, { method: "POST" });
  assert.equal(answer.status, 200);
}

/** What has really happened to a tool of this name. */
export async function effects(tool) {
  const text = await readFile(AGUIWS_EFFECTS, "utf8").catch(() => "");
  const lines = text.split("\n").filter(Boolean).map((line) => JSON.parse(line));
  return lines.filter((line) => line.tool === tool).map((line) => line.args);
}

export const unique = (name) => `${name}_${randomUUID().slice(0, 8)}`;
export const numbers = (n) => Array.from({ length: n }, (_, i) => `${i + 1}`).join(" ");
