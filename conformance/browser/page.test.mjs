// What the chat page shows, and what can be done with it.

import assert from "node:assert/strict";
import { a, ANN, BOB, effects, embedded, guarded, kill, person, restart, Tab, test, unique, until } from "./lane.mjs";

const attribute = (tab, hook, name) => tab.at(hook).first().getAttribute(name);

test("answers are Markdown, and HTML in them is text", async () => {
  const tab = await Tab.open(await person(), a);
  await tab.say("/say A **strong** word, `code`, [a link](https://example.org/) and [another](javascript:alert(1)).\n\n<b>raw</b> <img src=x onerror=alert(1)>\n\n![spy](https://example.org/spy.png)\n\n```js\nlet x = 1; // a long line of code that nobody wraps, so that it has to scroll inside of its box and not the page\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n1. one\n2. two\n");
  await tab.says("two");
  await tab.rest();
  const answer = tab.page.locator(".markdown").last();
  await answer.waitFor();
  assert.equal(await answer.locator("strong").textContent(), "strong");
  assert.match(await answer.locator("pre code").textContent(), /let x = 1;/);
  assert.equal(await answer.locator("td").count(), 2);
  assert.equal(await answer.locator("ol li").count(), 2);
  assert.equal(await answer.locator("b, img, script").count(), 0);
  assert.match(await answer.textContent(), /<b>raw<\/b> <img src=x onerror=alert\(1\)>/);
  const links = await answer.locator("a").evaluateAll((all) => all.map(({ href, rel }) => [href, rel]));
  const rel = "noopener noreferrer nofollow";
  assert.deepEqual(links, [["https://example.org/", rel], ["https://example.org/spy.png", rel]]);
  await tab.shot("30-markdown");
});

test("markdown that is being written does not flicker", async () => {
  const tab = await Tab.open(await person(), a);
  await tab.say("/say warm up");
  await tab.page.locator(".markdown").waitFor();
  await tab.page.evaluate(() => {
    window.shown = [];
    new MutationObserver(() => {
      const last = [...document.querySelectorAll(".markdown")].at(-1);
      if (last) window.shown.push(last.textContent);
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  });
  await tab.say(`/say ${"some **bold words that come one by one** and `code with words` and ".repeat(8)}the end`);
  await tab.says("the end");
  const shown = await tab.page.evaluate(() => window.shown);
  assert.ok(shown.length > 0);
  assert.deepEqual(shown.filter((text) => /[*`]/.test(text)), [], "no marker is ever seen");
});

test("reasoning is folded, subagents are named, activities and state have panels", async () => {
  const context = await person();
  const tab = await Tab.open(context, a);
  await tab.say("/think About nothing much");
  await tab.says("I have thought about it.");
  const reasoning = tab.at("reasoning");
  assert.equal(await reasoning.evaluate((element) => element.open), false);
  await reasoning.locator("summary").click();
  assert.match(await reasoning.textContent(), /About nothing much/);
  await tab.say("/delegate Hello from below");
  await tab.says("The helper is done.");
  assert.equal(await tab.at("subagent").first().textContent(), "helper");
  await tab.say("/activity");
  await tab.at("activity").waitFor();
  await tab.rest();
  await tab.say('/state {"count":1}');
  await tab.says("The state is set.");
  await until(async () => /"count": 1/.test(await tab.at("state-panel").textContent()), "the state is shown");
  await tab.shot("31-panels");
  await tab.reload();
  await until(async () => (await tab.at("subagent").count()) > 0, "the subagent is known after a reload");
  assert.equal(await tab.at("subagent").first().textContent(), "helper");
  const late = await Tab.open(context, a, tab.threadId);
  await until(async () => (await late.at("subagent").allTextContents()).join() === "helper", "a tab that was not there knows it too");
});

test("a deadline counts down, and then the question can only be asked anew or closed", async () => {
  const tab = await Tab.open(await person(), a);
  await tab.say("/expire 8");
  await tab.asked("confirmation");
  const left = new Set();
  await until(async () => left.add(await tab.at("expiry").textContent()) && (await attribute(tab, "expiry", "data-expired")) === "true", "it expires");
  assert.ok(left.size >= 3, `it ticks: ${[...left]}`);
  assert.deepEqual(await tab.at("interrupt").getByRole("button").allTextContents(), ["Ask again", "Close"]);
  await tab.shot("32-expired");
  await tab.click("ask-again");
  await until(async () => (await tab.at("message").count()) === 2 && (await attribute(tab, "expiry", "data-expired")) === "false", "it is asked anew");
});

test("a question of an unknown reason is asked by its message and schema, and the answer is checked", async () => {
  const context = await person();
  const asked = {
    reason: "acme:order",
    message: "What shall we order? <b>Careful</b>",
    responseSchema: {
      type: "object",
      properties: {
        item: { type: "string", minLength: 3, pattern: "(a+)+$" },
        size: { $ref: "#/$defs/size" },
        gift: { type: "boolean" },
        lines: { type: "array", items: { type: "object", properties: { count: { type: "integer", minimum: 1 } }, required: ["count"] } },
        extra: {},
      },
      required: ["item", "size", "gift"],
      $defs: { size: { enum: ["S", "L"] } },
    },
  };
  const sent = [];
  await context.routeWebSocket(/\/agui\/ws/, (socket) => {
    const server = socket.connectToServer();
    socket.onMessage((frame) => {
      const { resume } = JSON.parse(frame);
      if (resume) sent.push(resume[0].payload);
      server.send(frame);
    });
    server.onMessage((frame) => {
      const read = JSON.parse(frame);
      for (const interrupt of read.outcome?.interrupts ?? read.interrupts ?? []) Object.assign(interrupt, asked);
      socket.send(JSON.stringify(read));
    });
  });
  const tab = await Tab.open(context, a);
  await tab.say("/form");
  const card = (await tab.asked("acme:order")).first();
  assert.match(await card.textContent(), /<b>Careful<\/b>/);
  await tab.fill("field-item", "x");
  await tab.fill("field-extra", "{");
  await tab.click("submit-form");
  await card.getByRole("alert").first().waitFor();
  await tab.shot("33-unknown-reason");
  await until(async () => (await card.getByRole("alert").count()) >= 4, "what is wrong is said, field by field");
  assert.deepEqual(sent, []);
  await tab.fill("field-item", "xylophone");
  await tab.at("field-size").selectOption({ label: "L" });
  await tab.at("field-gift").selectOption({ label: "No" });
  await tab.click("add-lines");
  await tab.fill("field-count", "2");
  await tab.fill("field-extra", '{"deep":[1]}');
  await tab.click("submit-form");
  await until(async () => sent.length > 0, "the answer is sent");
  assert.deepEqual(sent[0], { item: "xylophone", size: "L", gift: false, lines: [{ count: 2 }], extra: { deep: [1] } });
  // The server asked for something else: it refuses, says so, and the question stays.
  await tab.at("error").waitFor();
  assert.equal(await attribute(tab, "error", "data-code"), "interrupt_payload_invalid");
  assert.equal(await card.count(), 1);
});

test("declining answers no, cancelling gives the question up", async () => {
  const tool = unique("pay");
  const tab = await Tab.open(await person(), a);
  await tab.say(`/tool ${tool} {"amount":10}`);
  await tab.asked("tool_call");
  await tab.decide(tab.at("decline"));
  await tab.says("was declined");
  await tab.say(`/tool ${tool} {"amount":10}`);
  await tab.asked("tool_call");
  await tab.click("cancel");
  await tab.says("cancelled");
  assert.deepEqual(await effects(tool), []);
});

test("everything is done with the keyboard", async () => {
  const tool = unique("pay");
  const tab = await Tab.open(await person(), a);
  const { keyboard } = tab.page;
  await tab.front();
  await until(() => tab.at("composer").evaluate((element) => element === document.activeElement), "the composer has the focus");
  await keyboard.type(`/tool ${tool} {"amount":10}`);
  await keyboard.press("Enter");
  await tab.asked("tool_call");
  const tabTo = async (hook) => {
    for (let i = 0; i < 40; i++) {
      if (await tab.at(hook).first().evaluate((element) => element === document.activeElement)) return;
      await keyboard.press("Shift+Tab");
    }
    assert.fail(`${hook} is not reached`);
  };
  await tabTo("edit");
  await tab.takes(tab.at("edit"));
  await keyboard.press("Enter");
  await tab.at("edit /amount").waitFor();
  await keyboard.press("Escape");
  await until(() => tab.at("edit").evaluate((element) => element === document.activeElement), "Escape leads back");
  await keyboard.press("Enter");
  await until(() => tab.at("edit /amount").evaluate((element) => element === document.activeElement), "the editor has the focus");
  await keyboard.press("ControlOrMeta+a");
  await keyboard.type("3");
  await keyboard.press("Control+Enter");
  await tab.says(`I have called ${tool}.`);
  assert.deepEqual(await effects(tool), [{ amount: 3 }]);
  await until(() => tab.at("composer").evaluate((element) => element === document.activeElement), "the focus is not lost");
});

test("the connection says up to where the thread is held, and the inspector what crossed the wire", async () => {
  const context = await person({ permissions: ["clipboard-read", "clipboard-write"] });
  const tab = await Tab.open(context, a);
  await tab.say("/say inspected");
  await tab.says("inspected");
  await tab.rest();
  await tab.front();
  await tab.click("menu");
  await until(async () => Number(await attribute(tab, "position", "data-seq")) > 3, "it says up to where");
  await tab.click("developer");
  await tab.click("inspect");
  await tab.page.locator('[data-testid="frame"][data-type="RUN_FINISHED"]').first().waitFor();
  await tab.fill("frame-filter", "ws.");
  await until(async () => (await tab.page.locator('[data-testid="frame"][data-type="RUN_FINISHED"]').count()) === 0, "the filter filters");
  await tab.at("frame").first().locator("summary").click();
  await tab.shot("34-inspector");
  await tab.click("copy-frames");
  await until(async () => (await tab.at("copied").textContent()) !== "", "it says that it copied");
  const copied = await tab.page.evaluate(() => navigator.clipboard.readText());
  assert.match(copied, /^< \{"type":"ws.hello"/);
  assert.match(copied, /^> \{"type":"ws.attach"/m);
});

test("threads are listed beside the chat, chosen, begun and deleted", async () => {
  const tab = await Tab.open(await person({ viewport: { width: 1280, height: 900 } }), embedded);
  const word = unique("title");
  await tab.say(`/say about ${word}`);
  await tab.says(word);
  const row = tab.page.locator(`[data-testid="thread"][data-thread-id="${tab.threadId}"]`);
  await row.waitFor();
  await until(async () => (await row.textContent()).includes(word), "it is listed by what it is about");
  // Its answer is long in coming.
  await tab.page.route("**/v1/threads?*", () => {});
  await tab.click("new-chat");
  await until(async () => (await tab.at("message").count()) === 0, "a new chat is empty");
  assert.equal(await row.count(), 1, "the list of another chat is not empty meanwhile");
  await tab.page.unroute("**/v1/threads?*");
  await tab.reload();
  await tab.say("/confirm Still there?");
  await tab.asked("confirmation");
  await until(async () => (await tab.page.locator('[data-testid="thread"][data-waiting="true"]').count()) > 0, "the list says who waits");
  await tab.shot("35-threads");
  await row.locator("a").click();
  await tab.says(word);
  assert.equal(await tab.at("interrupt").count(), 0);
  await row.locator("a").press("F2");
  await tab.page.keyboard.type(`${word} called otherwise`);
  await tab.page.keyboard.press("Enter");
  await until(async () => (await tab.page.title()).includes("called otherwise"), "the page is called as the chat is");
  await tab.fill("thread-search", word.toUpperCase());
  await until(async () => /^1 found/.test(await tab.at("thread-found").textContent()), "it is found by its title");
  await tab.fill("thread-search", "nothing is called so");
  await until(async () => /^None found/.test(await tab.at("thread-found").textContent()), "it says that nothing is found");
  await tab.fill("thread-search", tab.threadId.slice(0, 13));
  await row.waitFor();
  await tab.fill("thread-search", "");
  const other = await Tab.open(tab.page.context(), embedded);
  await other.front();
  const there = other.page.locator(`[data-testid="thread"][data-thread-id="${tab.threadId}"]`);
  await there.waitFor();
  const forget = async () => {
    await tab.front();
    // The second half of a double click.
    await row.hover();
    await row.getByTestId("delete-thread").dispatchEvent("click", { detail: 2 });
    const { x, width } = await row.getByTestId("too-soon").boundingBox();
    assert.ok(x >= 0 && x + width <= 272, `what is said of it stands within the list, from ${x} to ${x + width}`);
    await tab.shot("35-too-soon");
    await tab.decide(row.getByTestId("delete-thread"));
    await tab.click("go-inbox");
    await tab.at("undo-delete").waitFor();
    await tab.page.goBack();
    await other.front();
    await until(async () => (await there.count()) === 0, "it is hidden in the other tab, too");
  };
  await forget();
  await until(async () => (await fetch(`${embedded}/v1/threads/${tab.threadId}`)).status === 404, "the thread is gone");
  assert.equal(await there.count(), 0);
});

test("a lost store is said, not hidden", async () => {
  const tab = await Tab.open(await person(), embedded);
  tab.serverMayDie = true;
  await tab.say("/say soon forgotten");
  await tab.says("soon forgotten");
  await kill(3);
  await until(async () => (await attribute(tab, "status", "data-state")) !== "connected", "the tab has noticed");
  await restart(3);
  await tab.at("restated").waitFor();
  assert.match(await tab.at("restated").textContent(), /store/);
  await tab.shot("36-lost-store");
  await tab.say("/say and on");
  await tab.says("and on");
});

test("a tab of somebody who is not told what waits is called by what they look at", async () => {
  const context = await person();
  await context.route("**/v1/me", (route) => (route.request().headers().authorization ? route.fulfill({ json: { user: "bob", tenant: "default", scopes: ["run"] } }) : route.continue()));
  const tab = await Tab.at(context, `${guarded}/`, undefined, { serverMayRefuse: true });
  await tab.fill("token", BOB);
  await tab.page.keyboard.press("Enter");
  await tab.connected();
  await until(async () => (await tab.at("go-inbox").count()) === 0, "the inbox is not offered");
  await tab.at("commands").waitFor();
  assert.equal(await tab.at("path").count(), 0, "the steps are for whoever operates the server");
  await tab.say("/say called so");
  await tab.says("called so");
  await until(async () => /called so.* · aguiws$/i.test(await tab.page.title()), "the title is the chat's");
  await tab.click("menu");
  await tab.click("sign-out");
  await tab.at("sign-in").waitFor();
  assert.equal(await tab.page.title(), "Sign in · aguiws");
});

test("a server that asks who comes gets a token, and the tab keeps it to itself", async () => {
  const tab = await Tab.at(await person(), `${guarded}/`, undefined, { serverMayRefuse: true });
  await tab.at("sign-in").waitFor();
  await tab.fill("token", "not-a-token-at-all");
  await tab.page.keyboard.press("Enter");
  await tab.at("sign-in").getByRole("alert").waitFor();
  assert.ok(!(await tab.at("composer").isVisible()), "nobody writes who is not let in");
  for (const hook of ["go-chat", "go-inbox", "go-operator", "new-chat", "status"]) assert.equal(await tab.at(hook).count(), 0, `${hook} leads nowhere yet`);
  assert.equal(await tab.page.title(), "Sign in · aguiws");
  await tab.shot("37-sign-in");
  await tab.fill("token", BOB);
  await tab.page.keyboard.press("Enter");
  await tab.connected();
  await until(() => tab.at("composer").evaluate((element) => element === document.activeElement), "one can write at once");
  assert.equal(await tab.at("no-such-chat").count(), 0, "what was made for nobody is no address that they followed");
  await tab.say("/say let in");
  await tab.says("let in");
  const kept = await tab.page.evaluate(() => JSON.stringify([{ ...localStorage }, document.cookie, location.href]));
  assert.ok(!kept.includes(BOB), "the token is kept for this tab only");
  await tab.at("go-inbox").waitFor();
  assert.equal(await tab.at("go-operator").count(), 0, "a place that is not theirs is not offered");
  await tab.page.goto(`${guarded}/ops`);
  assert.match(await tab.at("not-for-you").innerText(), /for operators[^]*scope admin/);
  await tab.at("not-for-you").getByRole("link").click();
  await tab.at("inbox-empty").or(tab.at("inbox-row").first()).waitFor();
  await tab.page.reload();
  await tab.at("inbox-empty").or(tab.at("inbox-row").first()).waitFor();
  await tab.click("menu");
  await tab.click("sign-out");
  await tab.at("sign-in").waitFor();
  await tab.fill("token", ANN);
  await tab.page.keyboard.press("Enter");
  await tab.at("inbox-empty").or(tab.at("inbox-row").first()).waitFor();
});
