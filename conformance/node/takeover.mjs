// Lets the real client judge the streams of takeover_test.go, one case a line of standard input: it must accept each
// stream to its end without a warning, and then hold what the case says. Exit status 1 if it does not.

import { defaultApplyEvents, enforceEvents, transformChunks, verifyEvents } from "@ag-ui/client";
import { createInterface } from "node:readline";
import { isDeepStrictEqual } from "node:util";
import { from, lastValueFrom, toArray } from "rxjs";

let warning;
for (const level of ["warn", "error"]) console[level] = (...what) => void (warning ??= what.map(String).join(" "));

/** What a client holds that has heard these events and nothing else, or why it gave up. */
async function held(events) {
  warning = undefined;
  const agent = { messages: [], state: {}, pendingInterrupts: [] };
  const input = { threadId: "thread", runId: "run", messages: [], state: {}, tools: [], context: [] };
  const result = { messages: [], state: {} };
  try {
    const legal = from(events).pipe(enforceEvents(), transformChunks(), verifyEvents());
    for (const mutation of await lastValueFrom(defaultApplyEvents(input, legal, agent, []).pipe(toArray()))) {
      if (mutation.messages !== undefined) result.messages = mutation.messages;
      if (mutation.state !== undefined) result.state = mutation.state;
    }
  } catch (error) {
    return { fault: String(error) };
  }
  if (warning !== undefined) return { fault: warning };
  if (!["RUN_FINISHED", "RUN_ERROR"].includes(events.at(-1).type)) return { fault: "the stream has no end" };
  // Once through JSON, where undefined and absent are the same.
  return JSON.parse(JSON.stringify({ ...result, interrupts: agent.pendingInterrupts }));
}

let streams = 0;
let faults = 0;
for await (const line of createInterface({ input: process.stdin })) {
  const test = JSON.parse(line);
  for (const { name, events } of test.streams) {
    streams++;
    const got = await held(events);
    const wrong = ["fault", "messages", "state", "interrupts"].find((part) => !isDeepStrictEqual(got[part], test.want[part]));
    if (wrong === undefined || ++faults > 3) continue;
    console.log(`${test.name}, ${name}: ${wrong}\n  holds ${JSON.stringify(got[wrong])}\n  wants ${JSON.stringify(test.want[wrong])}`);
    console.log(events.map((event) => `    ${JSON.stringify(event)}`).join("\n"));
  }
}
console.log(JSON.stringify({ streams, faults }));
process.exitCode = faults || !streams ? 1 : 0;
