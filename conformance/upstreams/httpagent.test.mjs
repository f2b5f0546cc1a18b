// An unmodified HttpAgent, before gateways that die.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { createRequire } from "node:module";
import { test as nodeTest } from "node:test";
import { a, b, expires, inTurn, kill, left, numbers, restart, sent, someone, stepped, steps, stops, target, until } from "./lane.mjs";

// Installed once, beside another lane.
const { HttpAgent } = createRequire(new URL("../node/", import.meta.url))("@ag-ui/client");

const test = (name, body, options = {}) => nodeTest(`${target} through HttpAgent: ${name}`, options, body);
const approve = { status: "resolved", payload: { approved: true } };
const decline = { status: "resolved", payload: { approved: false } };
const cancelled = { status: "cancelled" };

/** A page that runs the agent by one of the gateways. */
class Page {
  events = [];

  constructor(gateway = a, threadId = randomUUID()) {
    Object.assign(this, { gateway, threadId });
    this.agent = new HttpAgent({ url: `${gateway}/agui`, threadId });
    this.agent.subscribe({ onEvent: ({ event }) => void this.events.push(event) });
  }

  say(text, parameters) {
    this.agent.addMessage({ id: randomUUID(), role: "user", content: text });
    return this.run(parameters);
  }

  /** Runs, and returns the last event. */
  async run(parameters) {
    this.events.length = 0;
    await this.agent.runAgent(parameters);
    return this.events.at(-1);
  }

  /** Says what the agent asks about, and returns the ids of its questions. */
  async asks(text, count = 1) {
    const end = await this.say(text);
    assert.equal(end.outcome?.type, "interrupt", JSON.stringify(end));
    assert.equal(end.outcome.interrupts.length, count);
    return end.outcome.interrupts.map(({ id }) => id);
  }

  answer(ids, ...answers) {
    return this.run({ resume: ids.map((interruptId, i) => ({ interruptId, ...answers[i] })) });
  }

  /** What the latest run has said: in pieces, or by a snapshot of all messages, among which a client keeps its own first. */
  get text() {
    const deltas = this.events.filter(({ type }) => type === "TEXT_MESSAGE_CONTENT").map(({ delta }) => delta);
    return (deltas.length ? deltas.join("") : said(this.agent.messages).at(-1) ?? "").trim();
  }
}

const finished = (end) => {
  assert.equal(end.type, "RUN_FINISHED", JSON.stringify(end));
  assert.notEqual(end.outcome?.type, "interrupt");
};
const refused = (end, code) => assert.deepEqual([end.type, end.code], ["RUN_ERROR", code], JSON.stringify(end));

/** What a gateway tells of a thread once that is at rest: the messages, and the last event. */
async function told(gateway, threadId) {
  await events(gateway, threadId); // to the end of a run in progress
  const all = await events(gateway, threadId);
  return { messages: all.findLast(({ type }) => type === "MESSAGES_SNAPSHOT")?.messages, end: all.at(-1) };
}

async function events(gateway, threadId) {
  const answer = await fetch(`${gateway}/agui/threads/${threadId}/events`);
  const text = await answer.text();
  return text.split("\n").filter((line) => line.startsWith("data: ")).map((line) => JSON.parse(line.slice(6)));
}

const said = (messages) => messages.filter(({ role, content }) => role === "assistant" && content).map(({ content }) => content.trim());

test("text streams, and is told again to whoever comes", async () => {
  const page = new Page();
  finished(await page.say("/slow 20 20"));
  assert.equal(page.text, numbers(20));
  assert.ok(page.events.filter(({ type }) => type === "TEXT_MESSAGE_CONTENT").length > 5, "it comes in pieces");
  finished(await page.say("/say and again"));
  assert.equal(page.text, "and again");
  const { messages, end } = await told(b, page.threadId);
  assert.equal(end.type, "RUN_FINISHED");
  assert.deepEqual(said(messages), [numbers(20), "and again"]);
  assert.deepEqual(messages.filter(({ role }) => role === "user").map(({ content }) => content), ["/slow 20 20", "/say and again"]);
});

test("a question outlives its gateway, and is answered once at another one", async () => {
  const to = someone("ann");
  const page = new Page(a);
  const ids = await page.asks(`/send ${to}`);
  await kill(0);
  try {
    // Whoever comes now is asked the same.
    const { end } = await told(b, page.threadId);
    assert.deepEqual(end.outcome?.interrupts.map(({ id }) => id), ids);
    assert.equal(await sent(to), 0);
    const later = new Page(b, page.threadId);
    finished(await later.answer(ids, approve));
    assert.match(later.text, new RegExp(`Sent to ${to}`));
    assert.equal(await sent(to), 1);

    const again = new Page(b, page.threadId);
    finished(await again.answer(ids, approve));
    assert.match(again.text, new RegExp(`Sent to ${to}`));
    refused(await new Page(b, page.threadId).answer(ids, decline), "interrupt_conflict");
    assert.equal(await sent(to), 1);
  } finally {
    await restart(0);
  }
  const last = new Page(a, page.threadId);
  refused(await last.answer(ids, cancelled), "interrupt_conflict");
  finished(await last.say("/say and on"));
  assert.equal(last.text, "and on");
  assert.equal(await sent(to), 1);
});

test("the same answer at both gateways at once is carried out once", async () => {
  const to = someone("twin");
  const page = new Page(a);
  const ids = await page.asks(`/send ${to}`);
  const ends = await Promise.all([a, b].map((gateway) => new Page(gateway, page.threadId).answer(ids, approve)));
  ends.forEach(finished);
  assert.equal(await sent(to), 1);
});

test("a question is declined, another cancelled", async () => {
  for (const answer of [decline, cancelled]) {
    const to = someone("no");
    const page = new Page(a);
    finished(await page.answer(await page.asks(`/send ${to}`), answer));
    assert.equal(await sent(to), 0);
    finished(await page.say("/say and on"));
    assert.equal(page.text, "and on");
  }
});

test("a message in place of an answer is answered, and the question does not come back", async () => {
  for (const command of ["/send", "/both"]) {
    const [first, second] = [someone("left"), someone("aside")];
    const page = new Page(a);
    const ids = await page.asks(`${command} ${first} ${second}`, command === "/both" && !inTurn ? 2 : 1);
    finished(await page.say("/say and on", { resume: ids.map((interruptId) => ({ interruptId, ...cancelled })) }));
    assert.equal(page.text, "and on");
    finished(await page.say("/say and further"));
    assert.equal(page.text, "and further");
    assert.deepEqual([await sent(first), await sent(second)], [0, 0]);
    // The next question is its own.
    const then = someone("then");
    finished(await page.answer(await page.asks(`/send ${then}`), approve));
    assert.deepEqual([await sent(first), await sent(second), await sent(then)], [0, 0, 1]);
  }
});

test("a question whose time is over does not come back", async () => {
  const to = someone("late");
  const page = new Page(a);
  await page.asks(`/soon ${to}`);
  await until(async () => (await told(b, page.threadId)).end.code === "interrupt_expired", "its time is over");
  const later = new Page(b, page.threadId);
  for (const text of ["and on", "and further"]) {
    finished(await later.say(`/say ${text}`));
    assert.equal(later.text, text);
  }
  assert.equal(await sent(to), 0);
}, { skip: !expires });

test("two questions are answered differently", async () => {
  const [first, second] = [someone("one"), someone("two")];
  const page = new Page(a);
  if (inTurn) {
    const end = await page.answer(await page.asks(`/both ${first} ${second}`), approve);
    assert.equal(end.outcome?.type, "interrupt", JSON.stringify(end));
    finished(await page.answer(end.outcome.interrupts.map(({ id }) => id), decline));
  } else {
    const ids = await page.asks(`/both ${first} ${second}`, 2);
    refused(await new Page(b, page.threadId).answer(ids.slice(1), approve), "interrupts_uncovered");
    assert.deepEqual([await sent(first), await sent(second)], [0, 0]);
    finished(await new Page(b, page.threadId).answer(ids, approve, decline));
  }
  assert.deepEqual([await sent(first), await sent(second)], [1, 0]);
});

test("a run that fails says so, and the thread goes on", async () => {
  const page = new Page();
  const end = await page.say("/fail on purpose");
  assert.equal(end.type, "RUN_ERROR");
  assert.match(end.message, /on purpose/);
  finished(await page.say("/say and on"));
  assert.equal(page.text, "and on");
});

test("a client that goes is no cancel, and a cancel ends the request", async () => {
  const page = new Page();
  const before = await left();
  const going = page.say("/slow 60 50");
  await until(() => page.text.includes("5 6 7"), "it has begun");
  page.agent.abortRun();
  await going;
  const { messages, end } = await told(b, page.threadId);
  assert.equal(end.type, "RUN_FINISHED");
  assert.deepEqual(said(messages), [numbers(60)]);
  assert.equal(await left(), before, "the target had nobody leave it");

  const stopped = new Page();
  const run = stopped.say("/slow 600 50");
  await until(() => stopped.text.includes("5 6 7"), "it has begun");
  await fetch(`${b}/copilotkit/agent/default/stop/${stopped.threadId}`, { method: "POST" });
  const last = await run;
  assert.equal(last.outcome?.type, "cancelled", JSON.stringify(last));
  await until(async () => (await left()) === before + 1, "the target was left");
  finished(await stopped.say("/say and on"));
});

/** Has a run take steps under the name, and cancels it in the first. */
async function cancelsInFirstStep(page, command) {
  const [, , , name] = command.split(" ");
  const run = page.say(command);
  await until(() => page.events.some(({ type }) => type === "STEP_STARTED"), "it has begun");
  await until(async () => (await stepped(name)) === 1, "the first step");
  await fetch(`${b}/copilotkit/agent/default/stop/${page.threadId}`, { method: "POST" });
  const end = await run;
  assert.equal(end.outcome?.type, "cancelled", JSON.stringify(end));
}

test("a cancel stops what is behind the step", async () => {
  const [name, other] = [someone("stopped"), someone("done")];
  await cancelsInFirstStep(new Page(), `/steps 3 2500 ${name}`);
  // Where one that was begun later has taken all its steps, the other would have, too.
  finished(await new Page().say(`/steps 3 2500 ${other}`));
  assert.equal(await stepped(other), 3);
  assert.ok((await stepped(name)) < 3, `${await stepped(name)} steps`);
}, { skip: !steps });

// Whoever serves it has to stop it: closing the request alone does not.
test("a cancel that it does not heed leaves it at work", async () => {
  const name = someone("heedless");
  const page = new Page();
  await cancelsInFirstStep(page, `/steps 3 4000 ${name} heedless`);
  const meanwhile = await page.say("/say and on");
  assert.equal(meanwhile.type, "RUN_ERROR", JSON.stringify(meanwhile));
  assert.match(meanwhile.message, /already running/);
  await until(async () => (await stepped(name)) === 3, "all steps are taken");
}, { skip: !steps || stops });

test("a gateway that dies in mid-run loses that run alone", async () => {
  const page = new Page(a);
  const run = page.say("/slow 100 50");
  await until(() => page.text.includes("5 6 7"), "it has begun");
  page.agent.abortRun(); // a client whose connection breaks throws where nobody can catch it
  await run;
  await kill(0);
  try {
    const { messages, end } = await told(b, page.threadId);
    refused(end, "worker_lost");
    assert.match(said(messages).at(-1), /^1 2 3 4 5 6 7/);
    const later = new Page(b, page.threadId);
    // Nobody has stopped it where closing the request does not, and it takes nothing else meanwhile.
    const goesOn = async () => (await later.say("/say and on")).type === "RUN_FINISHED";
    if (stops) await until(goesOn, "it goes on");
    else assert.ok(await goesOn());
    assert.equal(later.text, "and on");
  } finally {
    await restart(0);
  }
});
