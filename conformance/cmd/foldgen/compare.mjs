// Compares what foldgen writes with what @ag-ui/client makes of the same events.
// Exit status 1 if anything differs.
import { createInterface } from "node:readline";
import { createRequire } from "node:module";
import { isDeepStrictEqual } from "node:util";
import path from "node:path";
import { pathToFileURL } from "node:url";

const folder = path.resolve(process.argv[2] ?? "node_modules/@ag-ui/client");
const require = createRequire(path.join(folder, "package.json"));
const load = (file) => import(pathToFileURL(file));
const { enforceEvents, transformChunks, verifyEvents, defaultApplyEvents } = await load(
  path.join(folder, "dist/index.mjs"),
);
const { from, lastValueFrom, toArray } = require("rxjs");
console.warn = () => {}; // warnings are expected by the thousand

// verified runs events through the client's stages before the reducer.
function verified(events) {
  const passed = [];
  let error;
  from(structuredClone(events))
    .pipe(enforceEvents(), transformChunks(), verifyEvents())
    .subscribe({ next: (e) => passed.push(e), error: (e) => (error = e) });
  return { passed, error };
}

async function held(before, events) {
  const { passed, error } = verified(events);
  if (error) return { error: String(error) };
  const agent = { messages: before.messages, state: before.state, pendingInterrupts: [] };
  const input = { threadId: "t", runId: "r", ...before, tools: [], context: [] };
  const result = { messages: before.messages, state: before.state };
  const mutations = await lastValueFrom(
    defaultApplyEvents(input, from(passed), agent, []).pipe(toArray()),
  );
  for (const m of mutations) {
    if (m.messages !== undefined) result.messages = m.messages;
    if (m.state !== undefined) result.state = m.state;
  }
  // Once through JSON, where undefined and absent are the same.
  return JSON.parse(JSON.stringify({ ...result, interrupts: agent.pendingInterrupts }));
}

let cases = 0;
let different = 0;
function differ(test, what, ours, theirs) {
  if (++different > 5) return;
  console.error(`seed ${test.seed}: ${what}\n  ours   ${JSON.stringify(ours)}\n  theirs ${JSON.stringify(theirs)}`);
  console.error(test.events.map((e) => "    " + JSON.stringify(e)).join("\n"));
  console.error("  last " + JSON.stringify(test.last));
}

for await (const line of createInterface({ input: process.stdin })) {
  const test = JSON.parse(line);
  cases++;
  const theirs = await held(test.held, test.events);
  if (theirs.error !== undefined) {
    differ(test, "a legal stream is refused", test.want, theirs.error);
    continue;
  }
  for (const part of ["messages", "state", "interrupts"]) {
    if (!isDeepStrictEqual(theirs[part], test.want[part])) {
      differ(test, part, test.want[part], theirs[part]);
      break;
    }
  }
  if (test.restated) {
    const told = await held({ messages: [], state: {} }, test.restated);
    for (const part of ["error", "messages", "state"]) {
      if (!isDeepStrictEqual(told[part], test.want[part])) {
        differ({ ...test, events: test.restated }, `restated ${part}`, test.want[part], told[part]);
        break;
      }
    }
  }
  const { error } = verified([...test.events, test.last]);
  if (test.fatal !== undefined && test.fatal !== (error !== undefined)) {
    differ(test, "verdict on the last event", test.rule, String(error));
  }
}
console.log(JSON.stringify({ cases, different }));
process.exitCode = different || !cases ? 1 : 0;
