// An agent that asks without a schema, behind a gateway that knows its URL alone: answered where people answer.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { person, Tab, test as pageTest, until } from "../browser/lane.mjs";
import { a, someone, target } from "./lane.mjs";

const { AGUIWS_EFFECTS, AGUIWS_INBOX_CLI } = process.env;

const test = (name, body) => pageTest(`${target}, unprepared, ${name}`, body);

async function sentTo(to) {
  const text = await readFile(AGUIWS_EFFECTS, "utf8").catch(() => "");
  return text.split("\n").filter(Boolean).map((line) => JSON.parse(line).args).filter((args) => args.to === to);
}

/** A tab whose agent has asked about somebody. */
async function asked(context, words, to) {
  const tab = await Tab.open(context, a);
  await tab.say(`${words} ${to}`);
  await until(async () => (await tab.at("interrupt").count()) === 1, "a question");
  assert.equal(await tab.at("interrupt").locator("h2").textContent(), words === "when" ? `When shall I write to ${to}?` : `Send to ${to}?`);
  return tab;
}

const typed = (text) => async (tab, card) => {
  await card.getByTestId("otherwise").click();
  await card.getByTestId("answer-text").fill(text);
  await tab.decide(card.getByTestId("submit-answer"));
};
const pressed = (hook) => (tab, card) => tab.decide(card.getByTestId(hook));

/** How somebody answers, and what goes out then. */
const ways = [
  ["yes", "send", pressed("approve"), ["--approve"], [{}]],
  ["no", "send", pressed("decline"), ["--decline"], []],
  ["cancel", "send", pressed("cancel"), ["--cancel"], []],
  ["a text", "when", typed("tomorrow"), ["--with", '"tomorrow"', "--answer"], [{ day: "tomorrow" }]],
];

/** What went out, once the agent has gone on, and nothing more by an answer that comes again. */
async function outcome(tab, to, effects) {
  await tab.says(effects.length > 0 ? `Sent to ${to}` : `Not sent to ${to}`);
  await until(async () => (await tab.at("interrupt").count()) === 0, "it is asked no more");
  assert.deepEqual(await sentTo(to), effects.map((more) => ({ to, ...more })));
}

test("is answered on the page", async () => {
  const context = await person();
  for (const [what, words, press, , effects] of ways) {
    const to = someone(what.replace(" ", ""));
    const tab = await asked(context, words, to);
    await press(tab, tab.at("interrupt"));
    await outcome(tab, to, effects);
  }
});

test("is answered in the inbox", async () => {
  const context = await person({ viewport: { width: 1280, height: 900 } });
  for (const [what, words, press, , effects] of ways) {
    const to = someone(what.replace(" ", ""));
    const tab = await asked(context, words, to);
    const inbox = await Tab.at(context, `${a}/inbox`);
    await press(inbox, await inbox.pick(tab));
    await until(async () => (await inbox.at("inbox-said").count()) === 1, "it is answered");
    await outcome(tab, to, effects);
    await inbox.page.close();
  }
});

test("is answered by inbox-cli, once", async () => {
  const context = await person();
  const cli = (...args) => promisify(execFile)(AGUIWS_INBOX_CLI, ["--url", a, ...args]);
  for (const [what, words, , args, effects] of ways) {
    const to = someone(what.replace(" ", ""));
    const tab = await asked(context, words, to);
    const id = await tab.at("interrupt").getAttribute("data-interrupt-id");
    assert.match((await cli("--list")).stdout, new RegExp(`to ${to}\\?`));
    await cli(...args, id);
    await outcome(tab, to, effects);
    await assert.rejects(cli(...args, id), /no question with the id/);
    assert.equal((await sentTo(to)).length, effects.length);
  }
});
