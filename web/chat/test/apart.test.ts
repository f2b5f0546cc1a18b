import { expect, it } from "vitest";
import { apart } from "../src/inbox/apart";
import { exactly } from "../src/lib/exactly";
import type { InboxItem } from "../src/server/api";

const since = ["2030-01-31T14:05:09Z", "2030-01-31T14:06:10Z", "2030-01-31T14:07:11Z"];
const asked = since.map((one) => `asked ${exactly(one)}`);

/** What is told of calls of a tool that are asked for one after another; a string that is not JSON is one that was cut. */
function told(name: string, ...calls: Array<object | string>) {
  const items = calls.map((args, i) => ({
    since: since[i],
    interrupts: [{ interrupt: { reason: "tool_call", metadata: { title: "Go on?" } }, toolCall: { name, arguments: typeof args === "string" ? args : JSON.stringify(args) } }],
  })) as unknown as InboxItem[];
  const words = apart(items);
  return items.map((item) => words.get(item));
}

it.each<[string, Array<object | string>, Array<string | undefined>]>([
  ["what differs", [{ a: 1, b: 1, c: 1 }, { a: 1, b: 1, c: 2 }], ["C: 1", "C: 2"]],
  ["two that differ", [{ a: 1, b: 1, c: 1 }, { a: 2, b: 2, c: 2 }], ["A: 1 · B: 1", "A: 2 · B: 2"]],
  ["what is called as another", [{ to: 4, from: 4 }, { to: 4, from: 5 }], ["From: 4", "From: 5"]],
  ["the time of those still alike", [{ a: 1 }, { a: 2 }, { a: 2 }], ["A: 1", `A: 2 · ${asked[1]}`, `A: 2 · ${asked[2]}`]],
  ["the time if nothing differs", [{ a: 1 }, { a: 1 }], [asked[0], asked[1]]],
  ["the time of one without arguments", [{ a: 1 }, {}], ["A: 1", asked[1]]],
  ["the time of what was cut", ['{"a', '{"a'], [asked[0], asked[1]]],
  ["nothing of one alone", [{ a: 1 }], [undefined]],
])("tells %s", (_, calls, want) => expect(told("transfer", ...calls)).toEqual(want));
