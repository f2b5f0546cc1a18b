// Node draws a decision, as a server does before the page is there. What an agent says is text.

import { Decision, DecisionForm, ENGLISH, Inbox, Control, ThreadList, Words } from "@aguiws/react";
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { createElement, Suspense } from "react";
import { renderToPipeableStream, renderToString } from "react-dom/server";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { interrupt, toolCall } from "./asked.mjs";

const complaints = [];
console.error = (...said) => complaints.push(said.join(" "));

const asked = { interrupt, toolCall, onAnswer: () => {} };
const html = renderToString(createElement(Decision, asked));
for (const words of ["Send email to ada@example.com", "Approve", "Decline", "Edit arguments"]) assert.ok(html.includes(words), `${words} in ${html}`);
assert.ok(!html.includes("<img"), html);
await writeFile("asked.html", html);

const german = { ...ENGLISH, answer: { ...ENGLISH.answer, approve: "Genehmigen" } };
assert.ok(renderToString(createElement(Words, { strings: german }, createElement(Decision, asked))).includes("Genehmigen"));

// A form is loaded when it is needed, and a server that streams waits for it.
const schema = { type: "object", properties: { year: { type: "integer", title: "Year" } }, required: ["year"] };
const streamed = new PassThrough();
const form = createElement(Suspense, { fallback: null }, createElement(DecisionForm, { schema, onAnswer: () => {} }));
const stream = renderToPipeableStream(form, { onAllReady: () => stream.pipe(streamed) });
assert.match(await text(streamed), /data-testid="field-year"/);

// Lists ask nobody before there is a page.
const control = new Control({ url: "/v1", fetch: () => assert.fail("a request on the server") });
for (const part of [Inbox, ThreadList]) assert.match(renderToString(createElement(part, { control, onPick: () => {} })), /Loading/);

const styles = await readFile(new URL(import.meta.resolve("@aguiws/react/styles.css")), "utf8");
assert.match(styles, /^:where\(\.aguiws\) \{/m);
assert.deepEqual(complaints, []);
