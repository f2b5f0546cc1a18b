// Numbers that a double would change, for pages that read and write frames themselves.

import { expect, it } from "vitest";
import { connectionFor } from "../index";
import { FRAMES, parse, stringify } from "../../react/lib/json";
import { attached, Bench, live, settle, started, stream, type Frame } from "./fake";
import { quietly } from "./scenes";

quietly();

const NUMBERS = ["9007199254740993", "1.0", "1e400", "-0", "1234567890123456789012345678901234567890", "0.1000000000000000055511151231257827"];
const OPEN = `{"id":"i","reason":"input_required","responseSchema":{"type":"object","properties":{"n":{"enum":[${NUMBERS.join()}]}}},"metadata":{"n":[${NUMBERS.join()}]}}`;
const STATE = `{"n":[${NUMBERS.join()}]}`;

/** Says frames whose text matters. */
function say(bench: Bench, ...frames: Array<Frame | string>) {
  for (const frame of frames) bench.socket.onmessage?.({ data: typeof frame === "string" ? frame : JSON.stringify(frame) });
}

async function following(json?: typeof FRAMES) {
  const bench = new Bench({ json });
  const sent: string[] = [];
  bench.connection.tap((out, text) => out && sent.push(text));
  const agent = bench.agent();
  agent.follow();
  await settle();
  bench.socket.hello();
  say(bench, attached(0, false), live(0), stream(0));
  say(bench, started("r1"), `{"type":"STATE_SNAPSHOT","snapshot":${STATE}}`, `{"type":"STATE_DELTA","delta":[{"op":"add","path":"/m","value":1e400}]}`);
  say(bench, `{"type":"RUN_FINISHED","timestamp":1.5e3,"threadId":"t","runId":"r1","outcome":{"type":"interrupt","interrupts":[${OPEN}]}}`);
  await settle();
  return { bench, agent, sent };
}

it("come to state and open interrupts as they are written, and go back so in answers", async () => {
  const { bench, agent, sent } = await following(FRAMES);
  expect(stringify(agent.status.interrupts)).toBe(`[${OPEN}]`);
  expect(stringify(agent.state)).toBe(`{"n":[${NUMBERS.join()}],"m":1e400}`);
  const payload = parse(`{"n":[${NUMBERS.join()}]}`);
  void agent.runAgent({ runId: "r2", resume: [{ interruptId: "i", status: "resolved", payload }] });
  await settle();
  const input = `"resume":[{"interruptId":"i","status":"resolved","payload":{"n":[${NUMBERS.join()}]}}]`;
  expect(sent.at(-1)).toContain(input);
  expect(sent.at(-1)).toContain(`"state":{"n":[${NUMBERS.join()}],"m":1e400}`);
  // What was sent and not answered is sent again, as it was.
  const before = sent.length;
  await bench.reconnect();
  say(bench, attached(4, true), live(4));
  await settle();
  expect(sent.slice(before).find((text) => text.includes('"resume"'))).toContain(input);
  // And another attach tells the same.
  say(bench, `{"type":"ws.attached","threadId":"t","epoch":"e","seq":4,"recovered":true,"interrupts":[${OPEN}]}`);
  expect(stringify(agent.status.interrupts)).toBe(`[${OPEN}]`);
});

it("are the numbers of JavaScript for everybody else", async () => {
  const { agent, sent } = await following();
  expect(agent.state.n.slice(0, 2)).toEqual([9007199254740992, 1]);
  expect(agent.status.interrupts).toEqual([JSON.parse(OPEN)]);
  void agent.runAgent({ runId: "r2", resume: [{ interruptId: "i", status: "resolved", payload: { n: 1 } }] });
  await settle();
  expect(sent.at(-1)).toContain('"payload":{"n":1}');
});

it("have a socket of their own", () => {
  const connection = connectionFor({ url: "ws://numbers/agui/ws" });
  expect(connectionFor({ url: "ws://numbers/agui/ws", json: FRAMES })).not.toBe(connection);
});
