// Failures say what happened and what can be done, and what they offer works.

import assert from "node:assert/strict";
import { embedded, person, Tab, test, until } from "./lane.mjs";

/** A tab whose frames from the server `pass` may answer itself: it gets what the page sends, and how to answer. */
async function between(pass) {
  const context = await person();
  const sockets = [];
  await context.routeWebSocket(/\/agui\/ws/, (socket) => {
    const server = socket.connectToServer();
    sockets.push(socket);
    socket.onMessage((text) => {
      if (!pass(JSON.parse(text), (frame) => socket.send(JSON.stringify(frame)))) server.send(text);
    });
  });
  return { context, sockets };
}

const said = async (tab, code) => {
  const error = tab.page.locator(`[data-testid="error"][data-code="${code}"]`);
  await error.waitFor();
  return error;
};

test("a connection that the server gives up says why, and is made again when asked to", async () => {
  const { context, sockets } = await between(() => false);
  const tab = await Tab.open(context, embedded);
  for (const [code, words] of [[4400, /gave the connection up/], [1009, /too large/]]) {
    await sockets.at(-1).close({ code });
    const error = await said(tab, String(code));
    assert.match(await error.textContent(), words);
    assert.match(await error.textContent(), /connect again/i);
    assert.doesNotMatch(await error.textContent(), /Something went wrong/);
    if (code === 4400) await tab.shot("74-given-up");
    await tab.click("dismiss-error");
    await tab.connected();
    await until(async () => (await tab.at("error").count()) === 0, "nothing is said of it any more");
  }
  await tab.say("/say and on");
  await tab.says("and on");
});

test("a thread that may not be followed is tried again, and a failure in passing is put away", async () => {
  let refusals = 1;
  const { context, sockets } = await between((frame, answer) => {
    if (frame.type !== "ws.attach" || refusals-- <= 0) return false;
    answer({ type: "ws.error", id: frame.id, threadId: frame.threadId, code: "too_many_threads", message: "this connection follows 16 threads" });
    return true;
  });
  const tab = await Tab.open(context, embedded);
  const error = await said(tab, "too_many_threads");
  assert.equal(await error.getByRole("button").textContent(), "Try again");
  await tab.click("dismiss-error");
  await tab.at("empty").waitFor();
  await until(async () => (await tab.at("error").count()) === 0, "nothing is said of it any more");
  await tab.say("/say let in");
  await tab.says("let in");
  await tab.rest();
  const again = (message) => sockets.at(-1).send(JSON.stringify({ type: "ws.error", threadId: tab.threadId, code: "forbidden", message }));
  again("once");
  assert.equal(await (await said(tab, "forbidden")).getByRole("button").textContent(), "Dismiss");
  await tab.click("dismiss-error");
  await until(async () => (await tab.at("error").count()) === 0, "it is put away");
  await tab.say("/say still here");
  await tab.says("still here");
  assert.equal(await tab.at("error").count(), 0, "and stays away");
  again("twice");
  await said(tab, "forbidden");
});

test("a message that is refused stays with its reason, and is sent again as it was", async () => {
  const inputs = [];
  const refusals = ["overloaded"];
  const { context } = await between((frame, answer) => {
    if (frame.type !== undefined) return false;
    inputs.push(frame);
    const code = refusals.shift();
    if (!code) return false;
    const { threadId, runId, id } = frame;
    answer({ type: "ws.run", id, threadId, runId, disposition: "refused" });
    answer({ type: "ws.stream", threadId, epoch: "", seq: 0, uncounted: 1 });
    answer({ type: "RUN_ERROR", code, message: "too much to do" });
    return true;
  });
  const tab = await Tab.open(context, embedded);
  await tab.say("/say once more");
  const outgoing = tab.page.locator('[data-testid="outgoing"][data-state="failed"]');
  await outgoing.waitFor();
  assert.match(await outgoing.textContent(), /once more.*Not sent.*Too much to do/s);
  assert.equal(await tab.at("message").count(), 0, "it does not look sent");
  await tab.shot("75-not-sent");
  await tab.reload();
  await outgoing.waitFor();
  assert.equal(inputs.length, 1, "what was refused is not sent by itself");
  await tab.click("retry");
  await tab.says("once more");
  await until(async () => (await tab.at("outgoing").count()) === 0, "it is taken");
  assert.equal(inputs[1].runId, inputs[0].runId);
  refusals.push("forbidden");
  await tab.say("/say what nobody allows");
  await outgoing.waitFor();
  assert.match(await outgoing.textContent(), /Not sent\. You may not do this\.\s*The operator of the server can allow it/);
  assert.equal(await tab.at("retry").count() + await tab.at("error").count(), 0, "it would be refused again, and is said once");
  assert.deepEqual(inputs[1].messages.map(({ id }) => id), inputs[0].messages.map(({ id }) => id));
});
