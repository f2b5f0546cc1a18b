// One person after another in the same tab.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { ANN, BOB, guarded, person, Tab, test, until } from "./lane.mjs";

/** How long a socket that nobody uses stays open by itself, in milliseconds. Nothing that the test needs waits as long. */
const LINGER_MS = 10_000;

/** How often a place of the page asks the server, at most, in milliseconds. */
const EVERY_MS = 3_000;

/** What a person's own thread holds, as the server has it. */
async function held(token, threadId) {
  const answer = await fetch(`${guarded}/v1/threads/${threadId}/messages`, { headers: { Authorization: `Bearer ${token}` } });
  return answer.ok ? JSON.stringify(await answer.json()) : "";
}

test("who signs in after somebody else sees nothing of them, and writes nothing into what is theirs", async () => {
  const threadId = randomUUID();
  const context = await person({ viewport: { width: 1280, height: 900 } });
  // A socket that is left to linger stays for good.
  await context.addInitScript((lingerMs) => {
    const { setTimeout } = window;
    window.setTimeout = (call, ms, ...rest) => setTimeout(call, ms === lingerMs ? 2 ** 31 - 1 : ms, ...rest);
  }, LINGER_MS);
  const tab = await Tab.at(context, `${guarded}/?thread=${threadId}`, threadId, { serverMayRefuse: true });
  const sockets = [];
  // Only those that were let in: of the others the browser may tell no close.
  tab.page.on("websocket", (socket) => socket.once("framereceived", () => sockets.push(socket)));
  const enter = async (token) => {
    await tab.at("sign-in").waitFor();
    await tab.fill("token", token);
    await tab.page.keyboard.press("Enter");
    await tab.connected();
  };
  await enter(ANN);
  await tab.say("/slow 300 50");
  await tab.says("1 2 3");
  const row = tab.page.locator(`[data-testid="thread"][data-thread-id="${threadId}"]`);
  await row.waitFor();
  await tab.fill("composer", "what Ann has not sent yet");
  const anns = sockets.filter((socket) => !socket.isClosed());
  assert.ok(anns.length > 0);

  await tab.click("menu");
  await tab.click("sign-out");
  await tab.at("sign-in").waitFor();
  await until(() => anns.every((socket) => socket.isClosed()), "Ann's socket is closed");
  await enter(BOB);
  await tab.at("no-such-chat").waitFor();
  assert.equal(await tab.at("message").count(), 0);
  assert.equal(await tab.at("composer").inputValue(), "");
  assert.equal(await row.count(), 0, "Ann's chat is not in Bob's list");
  const strange = [];
  sockets.at(-1).on("framereceived", ({ payload }) => /300 50|"delta":"\d+ "/.test(String(payload)) && strange.push(payload));
  await tab.say("/say from Bob");
  await tab.says("from Bob");
  await tab.rest();
  assert.equal(await tab.at("message").count(), 2);
  assert.deepEqual(strange, []);
  await until(async () => (await held(BOB, threadId)).includes("from Bob"), "Bob's thread has what Bob wrote");
  const ofAnn = await held(ANN, threadId);
  assert.ok(ofAnn.includes("/slow 300 50") && !ofAnn.includes("Bob"), "Ann's thread has what Ann wrote");

  // And back: Ann finds her own.
  await tab.click("menu");
  await tab.click("sign-out");
  await enter(ANN);
  await until(async () => (await tab.at("message").first().locator(".text").textContent()) === "/slow 300 50", "Ann's chat is Ann's");
  assert.ok(!(await tab.page.textContent("body")).includes("from Bob"));
});

test("who is signed in stays so when the tab is loaded anew, until they sign out", async () => {
  const threadId = randomUUID();
  const tab = await Tab.at(await person(), `${guarded}/?thread=${threadId}`, threadId, { serverMayRefuse: true });
  await tab.at("sign-in").waitFor();
  await tab.fill("token", ANN);
  await tab.page.keyboard.press("Enter");
  await tab.connected();
  await tab.say("/say before the reload");
  await tab.says("before the reload");
  await tab.reload();
  await tab.says("before the reload");
  await tab.shot("30-signed-in-after-a-reload");
  await tab.page.goto(`${guarded}/inbox`);
  await tab.page.getByRole("heading", { name: "Waiting for you" }).waitFor();
  await tab.page.goBack();
  await tab.connected();
  await tab.click("menu");
  await tab.click("sign-out");
  await tab.at("sign-in").waitFor();
  await tab.page.reload();
  await tab.at("sign-in").waitFor();
  assert.deepEqual(await tab.page.evaluate(() => Object.keys(sessionStorage)), []);
});

test("a token that the server takes no more is asked for once, in every place", async () => {
  const threadId = randomUUID();
  const tab = await Tab.at(await person(), `${guarded}/?thread=${threadId}`, threadId, { serverMayRefuse: true });
  await tab.at("sign-in").waitFor();
  const asked = [];
  tab.page.on("request", (request) => asked.push(request.url()));
  for (const place of ["/", "/inbox", "/ops"]) {
    await tab.page.evaluate(() => sessionStorage.setItem("aguiws:token", "a-token-that-was-taken-back-0123456789"));
    asked.length = 0;
    await tab.page.goto(`${guarded}${place}`);
    await tab.at("sign-in").getByRole("alert").waitFor();
    for (const of of ["store", "nodes", "runs", "webhooks"]) assert.ok(!asked.some((url) => url.includes(`/v1/${of}`)), `${place} asks for ${of} for somebody alone`);
    // What was on its way when it was refused may come a moment later.
    await until(async () => {
      asked.length = 0;
      await tab.page.waitForTimeout(1.2 * EVERY_MS);
      return asked.length === 0;
    }, `${place} asks nobody again`);
    await tab.page.reload();
    await tab.at("sign-in").waitFor();
    assert.equal(await tab.at("sign-in").getByRole("alert").count(), 0, "what was refused is not offered again");
  }
  await tab.fill("token", ANN);
  await tab.page.keyboard.press("Enter");
  await tab.at("health").waitFor();
});
