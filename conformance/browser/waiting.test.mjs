// What waits is told wherever one is, and to who looks elsewhere if they want it.

import assert from "node:assert/strict";
import { barriers, embedded, person, steps, Tab, test, unique, until } from "./lane.mjs";

/** What a tab says of how many wait: at the inbox, in its title, and by its icon. */
async function counted(tab) {
  const [badge, icon] = await tab.page.evaluate(() => [
    Number(document.querySelector('[data-testid="inbox-badge"]')?.dataset.total ?? 0),
    document.querySelector('link[rel="icon"]').getAttribute("href"),
  ]);
  return { badge, title: Number(/^\((\d+)\) /.exec(await tab.page.title())?.[1] ?? 0), icon };
}

const iconOf = (n) => (n === 0 ? "/icon.svg" : `/icon-${Math.min(n, 10)}.svg`);

async function counts(tab, n) {
  await until(async () => {
    const { badge, title, icon } = await counted(tab);
    return badge === n && title === n && icon === iconOf(n);
  }, `badge, title and icon count ${n}`);
}

/** Waits until the tab counts what the server does, and returns that. */
async function countsAll(tab) {
  const { total } = await (await fetch(`${embedded}/v1/inbox/totals`)).json();
  await counts(tab, total);
  return total;
}

/** Has a run suspend in a thread of its own, without any tab. */
async function asks(text) {
  const threadId = crypto.randomUUID();
  const answer = await fetch(`${embedded}/agui`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "text/event-stream" },
    body: JSON.stringify({
      threadId, runId: crypto.randomUUID(), state: {}, tools: [], context: [], forwardedProps: {},
      messages: [{ id: crypto.randomUUID(), role: "user", content: text }],
    }),
  });
  assert.match(await answer.text(), /"interrupt"/);
  return threadId;
}

async function cancels(threadId) {
  const { items } = await (await fetch(`${embedded}/v1/threads/${threadId}/interrupts`)).json();
  const entries = items.flatMap(({ interrupts }) => interrupts.map(({ id }) => ({ interruptId: id, status: "cancelled" })));
  const answer = await fetch(`${embedded}/v1/threads/${threadId}/interrupts/resolve`, {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ entries }),
  });
  assert.equal(answer.status, 200);
}

test("how many wait is at the inbox, in the title and on the icon, also of a tab that is not looked at, and those chats stand first", async () => {
  const tab = await Tab.open(await person({ viewport: { width: 1280, height: 900 } }), embedded);
  await tab.at("thread-group").or(tab.page.getByText("None yet.")).first().waitFor();
  const began = await countsAll(tab);
  const asking = await asks(`/confirm ${unique("first")}?`);
  await counts(tab, began + 1);
  // Whatever is written meanwhile comes after it.
  await tab.say("/say newer");
  await tab.says("newer");
  const groups = tab.at("thread-group");
  await until(async () => (await groups.first().locator("h3").textContent()) === "Waiting for you", "those that wait are first");
  assert.equal(await groups.first().locator(`[data-thread-id="${asking}"]`).count(), 1);
  await until(async () => (await groups.nth(1).locator("h3").textContent()) === "Today", "the others are by day");
  await until(async () => (await groups.nth(1).getByTestId("thread").first().getAttribute("data-thread-id")) === tab.threadId, "the newest of them is the first");
  await tab.shot("48-waits-first");
  const icon = await tab.page.evaluate(async (href) => (await fetch(href)).headers.get("Content-Type"), iconOf(began + 1)).catch(String);
  assert.equal(icon, "image/svg+xml");

  await tab.page.evaluate(() => {
    Object.defineProperty(document, "hidden", { get: () => true, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  });
  const other = await asks("/confirm Unseen?");
  await counts(tab, began + 2);
  for (const one of [asking, other]) await cancels(one);
  await counts(tab, began);
});

test("who wants it is told by the desktop and by a sound while they look elsewhere, and nobody is asked at load", async () => {
  const context = await person();
  await context.addInitScript(() => {
    window.told = [];
    window.asked = window.tones = window.found = 0;
    // Whoever is told is, by the task after it was found out who looks.
    const found = () => setTimeout(() => window.found++);
    document.hasFocus = () => window.looking === true && (found(), true);
    const query = LockManager.prototype.query;
    LockManager.prototype.query = async function () {
      const held = await query.call(this);
      found();
      return held;
    };
    window.Notification = class {
      static get permission() {
        return localStorage.getItem("test:permission") ?? "default";
      }
      static async requestPermission() {
        window.asked++;
        return this.permission === "denied" ? "denied" : (localStorage.setItem("test:permission", "granted"), "granted");
      }
      constructor(_, { body, silent }) {
        if (localStorage.getItem("test:workers-only")) throw new TypeError("Illegal constructor");
        if (silent) return;
        window.told.push(body);
        window.last = this;
      }
      close() {}
    };
    const start = OscillatorNode.prototype.start;
    OscillatorNode.prototype.start = function (...at) {
      window.tones++;
      return start.apply(this, at);
    };
  });
  const tab = await Tab.open(context, embedded);
  const told = () => tab.page.evaluate(() => [window.told.length, window.tones]);
  const threads = [];
  /** One more asks, and it is found out who looks. */
  const rises = async (text) => {
    const before = await countsAll(tab);
    const found = await tab.page.evaluate(() => window.found);
    threads.push(await asks(text));
    await counts(tab, before + 1);
    await until(() => tab.page.evaluate((n) => window.found > n, found), "it is found out who looks");
    // Tabs tell one after another.
    await tab.page.evaluate(() => navigator.locks.request("aguiws:told", () => {}));
  };
  await rises("/confirm Unasked?");
  assert.deepEqual(await told(), [0, 0], "off until it is turned on");
  assert.equal(await tab.page.evaluate(() => window.asked), 0);

  await tab.page.evaluate(() => localStorage.setItem("test:permission", "denied"));
  await tab.click("menu");
  await tab.click("alert-desktop");
  await tab.at("alert-refused").waitFor();
  assert.ok(!(await tab.at("alert-desktop").isChecked()));
  // Some phones let a page ask, and show nothing then.
  await tab.page.evaluate(() => {
    localStorage.removeItem("test:permission");
    localStorage.setItem("test:workers-only", "yes");
  });
  await tab.click("alert-desktop");
  await tab.page.getByText("This browser does not offer notifications here.").waitFor();
  assert.ok(!(await tab.at("alert-desktop").isChecked()));
  await tab.page.evaluate(() => {
    localStorage.removeItem("test:permission");
    localStorage.removeItem("test:workers-only");
  });
  await tab.click("alert-desktop");
  await until(() => tab.at("alert-desktop").isChecked(), "it is on");
  assert.equal(await tab.page.evaluate(() => window.asked), 3);
  await tab.shot("49-alerts");
  // The browser's own question takes the focus from the page, which is none of the panel's end.
  await tab.page.evaluate(() => document.activeElement.blur());
  assert.ok(await tab.at("alert-desktop").isVisible());
  await tab.at("alert-desktop").focus();
  await tab.page.keyboard.press("Escape");
  assert.ok(!(await tab.at("alert-desktop").isVisible()));
  await rises("/confirm By the desktop?");
  await until(async () => (await told())[0] === 1, "the desktop says so");
  assert.match(await tab.page.evaluate(() => window.told[0]), /^\d+ chats? waits? for an answer$/);
  assert.deepEqual(await told(), [1, 0], "without a sound");

  await tab.reload();
  await tab.click("menu");
  assert.ok(await tab.at("alert-desktop").isChecked(), "it is remembered");
  assert.ok(!(await tab.at("alert-sound").isChecked()));
  // Another tab has turned it off since: what is chosen here leaves that as it is.
  await tab.page.evaluate(() => localStorage.removeItem("aguiws:alerts"));
  await tab.click("alert-sound");
  assert.ok(!(await tab.at("alert-desktop").isChecked()));
  await tab.click("alert-desktop");
  await until(() => tab.at("alert-desktop").isChecked(), "it is on again");
  const heard = (await told())[1];
  assert.ok(heard > 0, "it is heard what was chosen");
  await rises("/confirm By both?");
  await until(async () => (await told())[0] === 1 && (await told())[1] > heard, "both say so");
  await tab.page.evaluate(() => {
    window.looking = true;
    dispatchEvent(new Event("focus"));
  });
  await rises("/confirm Who looks sees it?");
  assert.equal((await told())[0], 1, "who looks is not told");
  await tab.page.evaluate(() => window.last.onclick());
  await tab.at("view-open").waitFor();
  for (const one of threads) await cancels(one);
});

test("a chat says how many of its parts wait, all of them, in a row as large as any other", async () => {
  const tab = await Tab.open(await person({ viewport: { width: 1280, height: 900 } }), embedded);
  await tab.say("/say whole");
  await tab.says("whole");
  const send = async (path, body) => {
    const answer = await fetch(`${embedded}/v1${path}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
    assert.ok(answer.ok, await answer.text());
  };
  const parts = Array.from({ length: 21 }, () => crypto.randomUUID());
  for (const threadId of parts) {
    await send("/threads", { threadId, parentThreadId: tab.threadId });
    await send(`/threads/${threadId}/input`, { text: `/confirm ${unique("part")}?` });
  }
  const row = tab.page.locator(`[data-testid="thread"][data-thread-id="${tab.threadId}"]`);
  await until(async () => (await row.getByTestId("part-waits").allTextContents())[0] === "21 parts wait for you", "all parts are counted");
  const tall = async (of) => (await of.boundingBox()).height;
  assert.ok((await tall(row)) < 120, `a row is ${await tall(row)} high`);
  await tab.click("more-waiting");
  const part = tab.page.locator(`[data-testid="thread"][data-thread-id="${parts[0]}"]`);
  assert.ok((await tall(part)) < 120, `the row of a part is ${await tall(part)} high`);
  await tab.shot("95-parts-wait");
  for (const threadId of parts) await cancels(threadId);
  await row.getByTestId("part-waits").waitFor({ state: "detached" });
});

test("who stops a chat is told that its parts go on, and may stop them", async () => {
  const tab = await Tab.open(await person(), embedded);
  const send = async (path, body) => {
    const answer = await fetch(`${embedded}/v1${path}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
    assert.ok(answer.ok, await answer.text());
  };
  const active = async (thread) => (await (await fetch(`${embedded}/v1/threads/${thread}`)).json()).activeRun !== undefined;
  const stop = async () => {
    await tab.at("stop").waitFor();
    await tab.decide(tab.at("stop"));
    await tab.at("turn-end").last().waitFor();
    await tab.rest();
  };
  await tab.say("/slow 4000 20");
  await stop();
  assert.equal(await tab.at("parts-go-on").count(), 0);
  const parts = [crypto.randomUUID(), crypto.randomUUID()];
  for (const threadId of parts) {
    await send("/threads", { threadId, parentThreadId: tab.threadId });
    await send(`/threads/${threadId}/input`, { text: "/slow 4000 20" });
  }
  await tab.say("/slow 4000 20");
  await stop();
  await tab.at("parts-go-on").waitFor();
  assert.match(await tab.at("parts-go-on").textContent(), /2 parts of this chat go on\./);
  await tab.shot("96-parts-go-on");
  for (const thread of parts) assert.ok(await active(thread));
  await tab.decide(tab.at("stop-parts"));
  await until(async () => /2 parts of this chat stopped, too\./.test(await tab.at("parts-go-on").textContent()), "it says that they were stopped");
  for (const thread of parts) await until(async () => !(await active(thread)), "they are stopped");
  await tab.say("/say on we go");
  await tab.at("parts-go-on").waitFor({ state: "detached" });
});

test("who waits for a time or an event says so where a question would be and in the list, and is no question", async () => {
  const tab = await Tab.open(await person({ viewport: { width: 1280, height: 900 } }), embedded);
  const row = tab.page.locator(`[data-testid="thread"][data-thread-id="${tab.threadId}"]`);
  const stands = (words) => until(async () => words.test(await row.innerText()), `the list says ${words}`);
  const before = await countsAll(tab);
  await tab.say("/sleep 600");
  const sleeps = await tab.asked("aguiws:timer");
  assert.equal(await sleeps.locator("h2").textContent(), "The agent waits");
  await stands(/sleeps until/);
  await counts(tab, before);
  await tab.fill("composer", "x");
  assert.equal(await tab.at("send").innerText(), "Stop waiting and send");
  await tab.fill("composer", "");
  await tab.shot("97-sleeps");
  assert.deepEqual(await barriers(tab.page), []);
  await tab.click("menu");
  await tab.click("developer");
  await tab.decide(tab.at("stop-waiting"));
  await tab.page.keyboard.press("Escape");
  await tab.asked("aguiws:timer", 0);

  await tab.say("/event paid");
  const event = await tab.asked("aguiws:event");
  assert.equal(await event.locator("h2").textContent(), "The agent waits for an event");
  await stands(/waits for an event/);
  await counts(tab, before);
  await tab.shot("98-waits-for-an-event");
  const [, url] = /POST JSON to (\S+)/.exec(await tab.last());
  const taken = await fetch(url, { method: "POST", headers: { "Content-Type": "application/json" }, body: "7" });
  assert.deepEqual(await taken.json(), { repeat: false });
  await tab.asked("aguiws:event", 0);
  await tab.says("The effect took place.");
});

test("who has called another agent says so, leads to it, and shows that it asks", async () => {
  const tab = await Tab.open(await person({ viewport: { width: 1280, height: 900 } }), steps);
  await tab.say("call");
  const card = await tab.asked("aguiws:call");
  assert.equal(await card.locator("h2").textContent(), "The agent waits for another one");
  const row = tab.page.locator(`[data-testid="thread"][data-thread-id="${tab.threadId}"]`);
  await row.getByTestId("part-waits").waitFor();
  await tab.shot("99-calls");
  assert.deepEqual(await barriers(tab.page), []);
  await tab.click("called");
  await tab.asked("confirmation");
  await tab.decide(tab.at("approve"));
  await tab.says("published");
  await tab.page.goBack();
  await tab.says("The other agent says: published");
  await tab.asked("aguiws:call", 0);
});

test("a chat that asks is deleted, and its question is decided on record and leaves the inbox and every tab", async () => {
  const tab = await Tab.open(await person({ viewport: { width: 1280, height: 900 } }), embedded);
  const before = await countsAll(tab);
  const asking = await asks(`/confirm ${unique("doomed")}?`);
  await counts(tab, before + 1);
  const other = await Tab.at(tab.page.context(), `${embedded}/?thread=${asking}`);
  await other.asked("confirmation");
  await tab.front();
  const row = tab.page.locator(`[data-testid="thread"][data-thread-id="${asking}"]`);
  assert.equal(await row.getByTestId("delete-thread").getAttribute("title"), "Delete, and cancel what waits");
  await tab.decide(row.getByTestId("delete-thread"));
  await counts(tab, before);
  await until(async () => (await fetch(`${embedded}/v1/threads/${asking}`)).status === 404, "the thread is gone");
  await other.asked("confirmation", 0);
  await other.shot("103-deleted-while-it-asked");
  const { items } = await (await fetch(`${embedded}/v1/decisions?limit=1`)).json();
  assert.equal(`${items[0].threadId} ${items[0].status}`, `${asking} cancelled`);
});
