// Files that are attached to a message: by a button, by pasting and by dropping, for agents that take them.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { barriers, embedded, gateway, person, PHONE, Tab, test, until } from "./lane.mjs";

const DOT = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
const dot = (name) => ({ name, mimeType: "image/png", buffer: DOT });

const writer = () => person({ permissions: ["clipboard-read", "clipboard-write"] });

/** Pastes, as a key does it. */
async function paste(tab, type, bytes) {
  await tab.front();
  await tab.page.evaluate(async ([type, bytes]) => {
    await navigator.clipboard.write([new ClipboardItem({ [type]: new Blob([Uint8Array.from(bytes)], { type }) })]);
  }, [type, [...bytes]]);
  await tab.at("composer").focus();
  await tab.page.keyboard.press("Control+V");
}

/** Drags a file over the conversation, as a desktop does it, and drops it once `over` is done. */
async function drop(tab, name, bytes, over = async () => {}) {
  const folder = await mkdtemp(path.join(tmpdir(), "aguiws-"));
  try {
    await writeFile(path.join(folder, name), bytes);
    const cdp = await tab.page.context().newCDPSession(tab.page);
    const drag = (type) => cdp.send("Input.dispatchDragEvent", { type, x: 300, y: 300, data: { items: [], files: [path.join(folder, name)], dragOperationsMask: 1 } });
    await drag("dragEnter");
    await drag("dragOver");
    await tab.at("dropping").waitFor();
    await over();
    await drag("drop");
    await until(async () => (await tab.at("dropping").count()) === 0, "nothing is dragged any more");
    await cdp.detach();
  } finally {
    await rm(folder, { recursive: true });
  }
}

const names = (tab) => tab.at("file").locator("bdi").allTextContents();
const drawn = (picture) => picture.evaluate((image) => image.complete && image.naturalWidth > 0);

test("files are attached by button, paste and drop, sent, answered, and there after a reload", async () => {
  const tab = await Tab.open(await writer(), embedded);
  await tab.at("attach").waitFor();
  await tab.at("pick-files").setInputFiles([dot("picked.png"), { name: "empty.txt", mimeType: "text/plain", buffer: Buffer.alloc(0) }]);
  await until(async () => (await names(tab)).join() === "picked.png", "the picked file is attached");
  assert.match(await tab.at("files-refused").textContent(), /empty\.txt was not attached: it is empty/);
  await paste(tab, "image/png", DOT);
  await until(async () => (await tab.at("file").count()) === 2, "the pasted picture is attached");
  await drop(tab, "notes.txt", "dropped", async () => {
    assert.match(await tab.at("dropping").textContent(), /Drop files here/);
    await tab.shot("94-dropping");
  });
  await until(async () => (await names(tab)).at(-1) === "notes.txt", "the dropped file is attached");
  await drop(tab, "surplus.txt", "dropped");
  await until(async () => (await tab.at("file").count()) === 4, "and another");
  await tab.at("remove-file").last().focus();
  await tab.page.keyboard.press("Enter");
  await until(async () => (await tab.at("file").count()) === 3, "a key takes it away");
  assert.equal(await tab.page.evaluate(() => document.activeElement.getAttribute("aria-label")), "Remove notes.txt", "the focus goes to the next");

  // What is attached belongs to its chat.
  await tab.click("new-chat");
  await until(async () => (await tab.at("file").count()) === 0, "another chat has none");
  await tab.page.goBack();
  await until(async () => (await tab.at("file").count()) === 3, "the first has its own");
  await tab.fill("composer", "Look at this.");
  assert.deepEqual(await barriers(tab.page), []);
  await tab.shot("95-attached");
  await tab.click("send");
  await tab.says("I have got a picture named picked.png, of type image/png, 70 bytes; and a picture");
  await tab.says("a file named notes.txt, of type text/plain, 7 bytes.");
  assert.equal(await tab.at("file").count(), 0);

  await tab.reload();
  await until(async () => (await tab.at("sent-picture").count()) === 2 && (await drawn(tab.at("sent-picture").first())), "the pictures are drawn");
  assert.match(await tab.at("sent-file").textContent(), /notes\.txt.*7 bytes/);
  assert.match((await tab.rest()).messages[0].text, /^Look at this\.$/);
  await tab.page.setViewportSize({ width: PHONE, height: 844 });
  assert.deepEqual(await barriers(tab.page), []);
  await tab.shot("96-sent-phone");
});

test("a chat named by nothing else is named after its file, and asks with it again", async () => {
  const tab = await Tab.open(await writer(), embedded);
  await tab.at("attach").waitFor();
  await tab.at("pick-files").setInputFiles([dot("holiday.png")]);
  await tab.at("file").waitFor();
  await tab.page.keyboard.press("Enter");
  await tab.says("a picture named holiday.png");
  await until(async () => /^(\(\d+\) )?holiday\.png/.test(await tab.page.title()), "it is named");
  await tab.at("message").first().hover();
  await tab.click("answer-anew");
  await until(async () => (await tab.at("branches").count()) === 1, "it is answered anew");
  await tab.says("a picture named holiday.png");
});

test("a file is refused that the server would not take, and those that it takes are sent once", async () => {
  const tab = await Tab.open(await writer(), embedded);
  const inputs = [];
  tab.page.on("websocket", (socket) => socket.on("framesent", ({ payload }) => payload.includes('"runId"') && inputs.push(payload.length)));
  await tab.reload();
  await tab.at("attach").waitFor();
  const large = (name, bytes) => ({ name, mimeType: "application/octet-stream", buffer: randomBytes(bytes) });
  await tab.fill("composer", "kept");
  await tab.at("pick-files").setInputFiles([large("too-large.bin", 3 << 20), large("half.bin", 2 << 20), large("other-half.bin", 2 << 20)]);
  await until(async () => (await names(tab)).join() === "half.bin", "what fits is attached");
  const refused = await tab.at("files-refused").textContent();
  assert.match(refused, /too-large\.bin was not attached: this server takes files of at most 2\.9 MiB/);
  assert.match(refused, /other-half\.bin was not attached: this server takes at most 2\.9 MiB in a message, all files together/);
  assert.equal(await tab.at("composer").inputValue(), "kept");
  await tab.click("send");
  await tab.says("named half.bin");
  await tab.at("pick-files").setInputFiles([large("second.bin", 2 << 20)]);
  await tab.at("file").waitFor();
  await tab.click("send");
  await tab.says("named second.bin");
  await tab.say("/say and on");
  await tab.says("and on");
  assert.equal(inputs.length, 3);
  assert.ok(inputs[1] < 4 << 20 && inputs[2] < 10_000, `nothing is sent twice: ${inputs}`);
});

test("a message that the server refuses gives its file back to be sent otherwise", async () => {
  const context = await writer();
  await context.routeWebSocket(/\/agui\/ws/, (socket) => {
    const server = socket.connectToServer();
    socket.onMessage((text) => {
      const { type, threadId, runId, id } = JSON.parse(text);
      if (type !== undefined) return server.send(text);
      for (const frame of [
        { type: "ws.run", id, threadId, runId, disposition: "refused" },
        { type: "ws.stream", threadId, epoch: "", seq: 0, uncounted: 1 },
        { type: "RUN_ERROR", code: "overloaded", message: "too much to do" },
      ]) socket.send(JSON.stringify(frame));
    });
  });
  const tab = await Tab.open(context, embedded);
  await tab.at("attach").waitFor();
  await tab.at("pick-files").setInputFiles([dot("refused.png")]);
  await tab.at("file").waitFor();
  await tab.say("Look");
  const outgoing = tab.page.locator('[data-testid="outgoing"][data-state="failed"]');
  await outgoing.getByTestId("sent-picture").waitFor();
  await tab.shot("97-not-sent-file");
  await tab.reload();
  await until(async () => drawn(outgoing.getByTestId("sent-picture")), "a small one outlives a reload");
  await tab.decide(tab.at("edit-unsent"));
  await until(async () => (await names(tab)).join() === "refused.png", "its file is attached again");
  assert.equal(await tab.at("composer").inputValue(), "Look");
});

test("an agent that takes no files is offered none, and says so; text is pasted as ever", async () => {
  const tab = await Tab.open(await writer(), gateway);
  await paste(tab, "image/png", DOT);
  await until(async () => (await tab.at("files-refused").textContent()) === "This agent takes no files.", "a paste is refused in words");
  assert.equal(await tab.at("attach").count(), 0);
  await paste(tab, "text/plain", Buffer.from("some words"));
  await until(async () => (await tab.at("composer").inputValue()) === "some words", "text is pasted");
  await drop(tab, "notes.txt", "dropped", async () => assert.equal(await tab.at("dropping").textContent(), "This agent takes no files."));
  assert.equal(await tab.at("files-refused").textContent(), "This agent takes no files.");
  assert.deepEqual([await tab.at("file").count(), await tab.at("attach").count()], [0, 0]);
  await tab.click("send");
  await tab.says("Good morning.");
  await until(async () => (await tab.at("files-refused").count()) === 0, "what was refused is not said for ever");
});
