// A page goes on with what the server has drawn: nothing differs, and an answer comes as AG-UI has it.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { JSDOM } from "jsdom";
import { interrupt, toolCall } from "./asked.mjs";

const { window } = new JSDOM(`<div id="root">${await readFile("asked.html", "utf8")}</div>`, { pretendToBeVisual: true, url: "http://127.0.0.1/" });
for (const name of ["window", "document", "navigator", "Element", "HTMLElement", "HTMLButtonElement", "HTMLTextAreaElement", "MutationObserver", "requestAnimationFrame", "cancelAnimationFrame"]) {
  Object.defineProperty(globalThis, name, { value: name === "window" ? window : window[name], configurable: true, writable: true });
}

const complaints = [];
console.error = (...said) => complaints.push(said.join(" "));

const { Decision } = await import("@aguiws/react");
const { createElement } = await import("react");
const { hydrateRoot } = await import("react-dom/client");

const answers = [];
const root = hydrateRoot(window.document.getElementById("root"), createElement(Decision, { interrupt, toolCall, onAnswer: (answer) => answers.push(answer) }));

/** What has only just come takes no decision. */
async function press(hook) {
  for (const end = Date.now() + 30_000; window.document.querySelector(".guarded")?.hasAttribute("aria-disabled") !== false; ) {
    assert.ok(Date.now() < end, "the question never takes a decision");
    await new Promise((later) => setTimeout(later, 20));
  }
  window.document.querySelector(`[data-testid="${hook}"]`).click();
}

await press("edit");
await press("args-as-json");
for (const end = Date.now() + 30_000; !window.document.querySelector('[data-testid="args-editor"]'); ) {
  assert.ok(Date.now() < end, "the editor never comes");
  await new Promise((later) => setTimeout(later, 20));
}
const editor = window.document.querySelector('[data-testid="args-editor"]');
assert.match(editor.value, /9007199254740993/);
Object.getOwnPropertyDescriptor(window.HTMLTextAreaElement.prototype, "value").set.call(editor, '{"to":"bob@example.com"}');
editor.dispatchEvent(new window.Event("input", { bubbles: true }));
await press("approve-edited");
assert.deepEqual(answers, [{ interruptId: "q1", status: "resolved", payload: { approved: true, editedArgs: { to: "bob@example.com" } } }]);
assert.deepEqual(complaints, []);
root.unmount();
window.close();
