// Records what each target answers, as the bytes that came: npm ci in its folder, then
//
//   node conformance/upstreams/record.mjs [aguimock|tanstack|mastra|langgraph|langgraph-outcome …]
//
// writes gateway/testdata/DIALECT/SCENARIO.sse, and beside it SCENARIO.request.json, which was POSTed.

import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";

const approve = { status: "resolved", payload: { approved: true } };
const decline = { status: "resolved", payload: { approved: false } };
const cancel = { status: "cancelled" };

/** How answers go to a target: as AG-UI has it, or by a command. */
const resume = (answers) => ({ resume: answers });
const command = (answers) => ({ forwardedProps: { command: { resume: answers.length === 1 ? answers[0].payload : byId(answers) } } });
const byId = (answers) => Object.fromEntries(answers.map(({ interruptId, payload }) => [interruptId, payload]));

const targets = {
  aguimock: { dialect: "plain", answer: resume },
  tanstack: { dialect: "tanstack", answer: resume },
  mastra: { dialect: "mastra", answer: resume },
  langgraph: { dialect: "langgraph", answer: command },
  "langgraph-outcome": { folder: "langgraph", env: { OUTCOME: "on" }, dialect: "langgraph-outcome", answer: resume, also: { command } },
};

const chosen = process.argv.slice(2);
for (const name of chosen.length ? chosen : Object.keys(targets)) {
  const { folder = name, env, dialect, answer, also = {} } = targets[name];
  const { url, stop } = await start(folder, env);
  const into = path.join(import.meta.dirname, "../../gateway/testdata", dialect);
  await mkdir(into, { recursive: true });

  /** POSTs an input, keeps both under the scenario's name, and returns what the events say. */
  async function record(scenario, input) {
    await writeFile(path.join(into, `${scenario}.request.json`), JSON.stringify(input, null, 2) + "\n");
    const headers = { "content-type": "application/json", accept: "text/event-stream" };
    const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(input) });
    const bytes = Buffer.from(await answer.arrayBuffer());
    await writeFile(path.join(into, `${scenario}.sse`), bytes);
    const events = bytes.toString().split("\n").filter((line) => line.startsWith("data: ")).map((line) => JSON.parse(line.slice(6)));
    console.log(`${dialect}/${scenario}: ${answer.status}, ${events.length} events, ${bytes.length} bytes`);
    return events;
  }

  const say = (text) => ({
    threadId: randomUUID(), runId: randomUUID(), state: {}, messages: [{ id: randomUUID(), role: "user", content: text }],
    tools: [], context: [], forwardedProps: {},
  });

  /** The input that answers what the events ask, in order; with what they have made of the messages. */
  function answering(input, events, answers, by = answer) {
    const asked = events.findLast(({ type }) => type === "RUN_FINISHED").outcome?.interrupts.map(({ id }) => id)
      ?? events.filter((event) => event.name === "on_interrupt").map(({ rawEvent }) => rawEvent.id);
    const messages = events.findLast(({ type }) => type === "MESSAGES_SNAPSHOT")?.messages ?? input.messages;
    return {
      ...input, messages, runId: randomUUID(), parentRunId: events.find(({ type }) => type === "RUN_STARTED").runId,
      ...by(asked.map((interruptId, i) => ({ interruptId, ...answers[i] }))),
    };
  }

  await record("slow", say("/slow 5 20"));
  await record("fail", say("/fail on purpose"));
  for (const [how, given] of Object.entries({ approve, decline, cancel })) {
    if (given === cancel && answer === command) continue; // it has no word for it
    const input = say(`/send ${how}`);
    const events = await record(`${how}-1-asks`, input);
    const answered = answering(input, events, [given]);
    await record(`${how}-2-answered`, answered);
    if (how === "approve") await record(`${how}-3-again`, { ...answered, runId: randomUUID() });
  }
  for (const [suffix, by] of Object.entries({ "": answer, ...Object.fromEntries(Object.entries(also).map(([name, by]) => [`-by-${name}`, by])) })) {
    const input = say("/both ann bob");
    const events = await record(`both${suffix}-1-asks`, input);
    let answered = answering(input, events, [approve, decline], by);
    let last = await record(`both${suffix}-2-answered`, answered);
    // One that asks one after the other.
    const next = last.findLast(({ type }) => type === "RUN_FINISHED")?.outcome?.interrupts;
    if (next) await record(`both${suffix}-3-answered`, answering(answered, last, [decline]));
  }
  await stop();
}

/** Starts a target, and returns where it is when it is ready. */
async function start(folder, env) {
  const server = spawn(process.execPath, [path.join(import.meta.dirname, folder, "server.mjs"), "0"], { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((over) => server.once("exit", over));
  for await (const line of createInterface(server.stdout)) {
    const ready = /^ready (\S+)$/.exec(line);
    if (!ready) continue;
    server.stdout.resume();
    return { url: ready[1], stop: () => (server.kill(), ended) };
  }
  throw new Error(`${folder} ended before it was ready`);
}
