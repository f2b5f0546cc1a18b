// What the tests share: Chromium, tabs on the chat page, and the power to kill and restart the servers behind them.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { createRequire } from "node:module";
import path from "node:path";
import { after, afterEach, before, test as nodeTest } from "node:test";
import { keepFrame } from "../node/frames.mjs";

// The packages of both lanes are installed once, beside the other lane.
const installed = createRequire(new URL("../node/", import.meta.url));
const { chromium } = installed("playwright-core");

/** What has only just come is calm sooner than this, unless it goes on changing. */
const CALM_MS = 5_000;

/** What must come is waited for on a machine that does much else as well. */
const PATIENCE_MS = 60_000;
const POLL_MS = 10;
const { AGUIWS_BROWSER, AGUIWS_CONTROL, AGUIWS_SHOTS } = process.env;

/**
 * The addresses of the page: `a` and `b` share a Redis; `doomed` has one of its own and dies when it has carried out its
 * first tool call, before it can say so; `embedded` has none; `guarded` has none and asks for a token; the agent of
 * `steps` goes on from step to step until it is stopped, unless it is told to call, which it does to an agent that asks,
 * or to type: then it calls a tool whose arguments come word by word; `gateway` stands before agents that other servers serve;
 * people sign in to `provided` at a provider, which agrees at once that they are Ann Example, who may answer.
 */
export const [a, b, doomed, embedded, guarded, steps, gateway, provided] = process.env.AGUIWS_URLS.split(",");

let browser;
const contexts = new Set();
const tabs = new Set();
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
  const closing = [...contexts];
  contexts.clear();
  tabs.clear();
  for (const context of closing) await context.close();
  assert.deepEqual(complaints.splice(0), [], "the page has complained");
});

/** The tokens that `guarded` knows: Ann may answer and operate, Bob may chat, Eve may answer, and of Fay's chats Dan may read all. */
export const ANN = "the-token-of-ann-0123456789";
export const BOB = "the-token-of-bob-0123456789";
export const EVE = "the-token-of-eve-0123456789";
export const FAY = "the-token-of-fay-0123456789";
export const DAN = "the-token-of-dan-0123456789";

/** Sends a message to `guarded` by its API, into a chat of its own unless one is named, which is returned. */
export async function sends(token, text, threadId = randomUUID()) {
  const answer = await fetch(`${guarded}/v1/threads/${threadId}/input`, {
    method: "POST", headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` }, body: JSON.stringify({ text }),
  });
  assert.equal(answer.status, 202, await answer.text());
  return threadId;
}

export async function signIn(tab, token = ANN) {
  await tab.at("sign-in").waitFor();
  await tab.fill("token", token);
  await tab.page.keyboard.press("Enter");
}

/** The width of a phone, in pixels. */
export const PHONE = 390;

/** A person's browser: its tabs share what a browser shares. */
export async function person(options = {}) {
  const context = await browser.newContext({ viewport: { width: 900, height: 1000 }, ...options });
  context.setDefaultTimeout(PATIENCE_MS);
  contexts.add(context);
  return context;
}

/** What axe finds serious or worse, or without a heading of its own. The page's policy lets nobody put a script into it, but the browser itself. */
export async function barriers(page) {
  const [tree] = await page.context().newCDPSession(page).then(async (cdp) => {
    const { executionContextId } = await cdp.send("Page.createIsolatedWorld", { frameId: (await cdp.send("Page.getFrameTree")).frameTree.frame.id });
    const run = (expression) => cdp.send("Runtime.evaluate", { expression, contextId: executionContextId, awaitPromise: true, returnByValue: true });
    await run(installed("axe-core").source);
    // Controls that wait look otherwise, and what they change into is on its way for a moment.
    const answer = await run(`(async () => {
      const most = performance.now() + ${CALM_MS};
      const moves = () => document.querySelector(".guarded[aria-disabled]")
        || document.getAnimations().some((a) => a instanceof CSSTransition && a.playState !== "finished");
      while (moves() && performance.now() < most) await new Promise((done) => setTimeout(done, 50));
      return axe.run(document, { resultTypes: ["violations"] });
    })()`);
    assert.equal(answer.exceptionDetails, undefined, JSON.stringify(answer.exceptionDetails));
    await cdp.detach();
    return [answer.result.value];
  });
  assert.ok(tree.passes.length > 5, "axe has looked at something");
  return tree.violations
    .filter(({ id, impact }) => impact === "serious" || impact === "critical" || id === "page-has-heading-one")
    .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" | ")}`);
}

/** What a place says to nobody's eye: the texts in it that are not drawn, though nothing is folded over them. */
export const unseen = (page) => page.evaluate(() => {
  const texts = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  const hidden = [];
  while (texts.nextNode()) {
    const { data, parentElement } = texts.currentNode;
    if (data.trim() === "" || parentElement.closest("[hidden], .visually-hidden, option, details:not([open]) > :not(summary)")) continue;
    if (!parentElement.checkVisibility({ opacityProperty: true, visibilityProperty: true })) hidden.push(data.trim());
  }
  return hidden;
});

/** A tab that shows a thread at a server. */
export class Tab {
  static async open(context, server, threadId) {
    const tab = await Tab.at(context, threadId === undefined ? `${server}/` : `${server}/?thread=${encodeURIComponent(threadId)}`, threadId);
    await tab.connected();
    tab.threadId ??= new URL(tab.page.url()).searchParams.get("thread");
    return tab;
  }

  /** A tab that shows any place of the page. What the server may do that is no fault of the page's is said beforehand. */
  static async at(context, address, threadId, { serverMayRefuse = false, serverMayDie = false, serverMayNotKnow = false } = {}) {
    const tab = new Tab();
    Object.assign(tab, { threadId, serverMayRefuse, serverMayDie, serverMayNotKnow });
    tab.page = await context.newPage();
    tabs.add(tab);
    tab.page.on("pageerror", (error) => complaints.push(String(error)));
    tab.page.on("console", (message) => {
      if (!["error", "warning"].includes(message.type())) return;
      // A server that was killed is no fault of the page's.
      // A server that says no is what some tests are about.
      if (tab.serverMayRefuse && /status of 40[13]|WebSocket connection to/.test(message.text())) return;
      if (tab.serverMayNotKnow && /status of 404/.test(message.text())) return;
      if (tab.serverMayDie && /WebSocket connection to|Failed to load resource/.test(message.text())) return;
      complaints.push(message.text());
    });
    tab.page.on("websocket", (socket) => {
      socket.on("framesent", ({ payload }) => keepFrame("client", payload));
      socket.on("framereceived", ({ payload }) => keepFrame("server", payload));
    });
    await tab.page.goto(address);
    return tab;
  }

  at(hook) {
    return this.page.getByTestId(hook);
  }

  async connected() {
    await until(async () => (await this.at("status").getAttribute("data-state")) === "connected", "the tab is connected");
  }

  /** A person uses the tab in front; the browser gives the others little time. */
  async front() {
    await this.page.bringToFront();
  }

  async click(hook) {
    await this.front();
    await this.at(hook).click();
  }

  async fill(hook, text) {
    await this.front();
    await this.at(hook).fill(text);
  }

  async say(text) {
    await this.fill("composer", text);
    await this.click("send");
  }

  async reload() {
    await this.page.reload();
    await this.connected();
  }

  /** Waits until no run is in progress and the conversation is told, then returns what is seen. */
  async rest() {
    await until(async () => {
      const status = this.at("status");
      return (await status.getAttribute("data-state")) === "connected" && (await status.getAttribute("data-running")) === "false"
        && (await this.at("message").count()) > 0 && (await this.at("part-loading").count()) === 0;
    }, "no run is in progress");
    return this.seen();
  }

  /** What is seen, without what only one tab may know. */
  seen() {
    return this.page.evaluate(() => {
      const all = (root, hook) => [...root.querySelectorAll(`[data-testid="${hook}"]`)];
      const text = (element) => element?.textContent ?? null;
      return {
        messages: all(document, "message").map((message) => ({
          role: message.dataset.role,
          text: [...message.querySelectorAll(":scope > :is(p.text, .markdown), .bubble p.text")].map(text).join("\n").trim(),
          calls: all(message, "tool-card").map((card) => ({
            state: card.dataset.state,
            args: text(all(card, "tool-args")[0]),
            result: text(all(card, "tool-result")[0]),
          })),
        })),
        interrupts: all(document, "interrupt").map((card) => ({ id: card.dataset.interruptId, reason: card.dataset.reason })),
        state: text(all(document, "state-panel")[0]),
      };
    });
  }

  /** The text of the last message, if the agent wrote it: a question often holds the words of its answer. */
  async last() {
    const message = (await this.seen()).messages.at(-1);
    return message?.role === "assistant" ? message.text : "";
  }

  async asked(reason, count = 1) {
    const cards = this.page.locator(`[data-testid="interrupt"][data-reason="${reason}"]`);
    await until(async () => (await cards.count()) === count, `${count} questions of reason ${reason}`);
    return cards;
  }

  /** Opens what a thread asks in the inbox, and returns it. */
  async pick({ threadId }) {
    const item = this.page.locator(`[data-testid="inbox-item"][data-thread-id="${threadId}"]`);
    await this.front();
    await this.row({ threadId }).getByTestId("inbox-pick").click();
    await item.waitFor();
    return item;
  }

  /** Chooses in a menu of the page: its values are there when it is opened, and so is a menu that hangs in another. */
  async choose(hook, value) {
    await this.front();
    const menu = this.at(hook);
    const fold = this.page.locator("details:not([open])", { has: menu });
    while (await fold.count()) await fold.first().locator(":scope > summary").click();
    await menu.locator(":scope > summary").click();
    await menu.locator(`[role="menuitemradio"][data-value="${value}"]`).click();
  }

  /** A thread in the inbox's list. */
  row({ threadId }) {
    return this.page.locator(`[data-testid="inbox-row"][data-thread-id="${threadId}"]`);
  }

  /** Waits until a control takes input from the keyboard, which asks nobody; what has only just come takes none. */
  async takes(control) {
    await until(() => control.isEnabled(), `${control} takes input`);
  }

  /** Presses the no of a question that is to be given a reason, which asks for that. */
  async declines(question = this.page) {
    await this.front();
    await question.getByTestId("decline").click();
    await question.getByTestId("field-reason").waitFor();
  }

  /** Clicks a control that decides; again where it moved under the pointer just then, and said that it did nothing. A no may ask for a reason first. */
  async decide(control) {
    if ((await control.getAttribute("data-testid")) === "decline" && (await control.getAttribute("aria-expanded")) === "false") await control.click();
    const group = await control.evaluateHandle((element) => element.closest(".guarded"));
    const refused = () => group.evaluate((box) => box?.isConnected === true && box.querySelector('[data-testid="too-soon"]') !== null);
    do await control.click();
    while (await refused());
  }

  async says(text) {
    await until(async () => (await this.last()).includes(text), `the last message holds ${JSON.stringify(text)}`);
  }

  /** Where the tab is and what it shows, for a failure that somebody has to explain. */
  async account() {
    const shown = await this.page.evaluate(() => {
      const status = document.querySelector('[data-testid="status"]');
      const focus = document.activeElement;
      return JSON.stringify({
        ...status?.dataset, hidden: document.hidden, focus: focus?.dataset.testid ?? focus?.tagName, text: document.body.innerText.slice(-2000),
      });
    });
    return `${this.page.url()} ${shown}`;
  }

  async shot(name) {
    await this.front();
    await this.page.screenshot({ path: path.join(AGUIWS_SHOTS, `${name}.png`) });
  }
}

/** All tabs come to rest and show the same, and each of them the same again when it is reloaded; returns what. */
export async function same(first, ...others) {
  let seen;
  const alike = async (tab) => JSON.stringify(await tab.seen()) === JSON.stringify(seen);
  const show = (holds, tabs, what) => until(holds, what).catch(async (error) => {
    for (const tab of tabs) assert.deepEqual(await tab.seen(), seen, what);
    throw error;
  });
  // A tab that has not heard of the last run yet is at rest as well; the others are ahead of it.
  await show(async () => {
    seen = await first.rest();
    return (await Promise.all(others.map(alike))).every(Boolean);
  }, others, "the tabs show the same");
  for (const tab of [first, ...others]) {
    await tab.reload();
    await show(() => alike(tab), [tab], "a reloaded tab shows what it showed");
  }
  return seen;
}

export async function until(holds, what) {
  for (const deadline = Date.now() + PATIENCE_MS; !(await holds()); ) {
    if (Date.now() > deadline) throw new Error(`never: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** A test that tells, when it fails, what its tabs show. */
export function test(name, body) {
  return nodeTest(name, async () => {
    try {
      await body();
    } catch (cause) {
      throw new Error(`the tabs of a test that failed\n${await accounts(name)}`, { cause });
    }
  });
}

/** What every tab shows, in words and, among the artifacts, in pictures. */
async function accounts(test) {
  const name = test.replace(/\W+/g, "-").slice(0, 60);
  const told = [];
  for (const [i, tab] of [...tabs].entries()) {
    await tab.page.screenshot({ path: path.join(AGUIWS_SHOTS, `failed-${name}-${i + 1}.png`), timeout: 10_000 }).catch(() => {});
    told.push(`${i + 1}: ${await tab.account().catch(String)}`);
  }
  return told.join("\n");
}

async function control(what) {
  const answer = await fetch(`${AGUIWS_CONTROL}/${what}`, { method: "POST" });
  assert.equal(answer.status, 200, await answer.clone().text());
  return answer.json();
}

/** kill -9, and start on the same port and Redis: of server 0 to 3: a, b, doomed, embedded. */
export const kill = (server) => control(`kill?server=${server}`);
export const restart = (server) => control(`restart?server=${server}`);

/** The Redis of `a` and `b` stands still, and goes on. */
export const freeze = () => control("freeze");
export const thaw = () => control("thaw");

/** The runs of a thread, as a server that asks nobody who they are has them. */
export async function runs(server, threadId) {
  const answer = await fetch(`${server}/v1/threads/${encodeURIComponent(threadId)}/runs`);
  return answer.ok ? (await answer.json()).items : [];
}

/** With what a tool of this name was really called: the texts of its arguments, and the same read. */
export const calledWith = async (tool) => (await control("effects")).filter((line) => line.tool === tool).map((line) => line.args);
export const effects = async (tool) => (await calledWith(tool)).map((args) => JSON.parse(args));

export const unique = (name) => `${name}_${randomUUID().slice(0, 8)}`;
export const numbers = (n) => Array.from({ length: n }, (_, i) => `${i + 1}`).join(" ");
