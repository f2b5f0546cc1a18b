import { expect, it } from "vitest";
import { apart, stakeOf } from "../src/inbox/apart";
import { rowWords } from "../../react/inbox/asks";
import { isSaid } from "../src/lib/issaid";
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
  ["what differs first", [{ a: 1, b: 1, c: 1 }, { a: 1, b: 1, c: 2 }], ["C: 1 · A: 1", "C: 2 · A: 1"]],
  ["a yes or no", [{ id: 1, hard: true }, { id: 1, hard: false }], ["Hard: true · ID: 1", "Hard: false · ID: 1"]],
  ["two that differ", [{ a: 1, b: 1, c: 1 }, { a: 2, b: 2, c: 2 }], ["A: 1 · B: 1", "A: 2 · B: 2"]],
  ["what is called as another", [{ to: 4, from: 4 }, { to: 4, from: 5 }], ["From: 4 · To: 4", "From: 5 · To: 4"]],
  ["the time of those still alike", [{ a: 1 }, { a: 2 }, { a: 2 }], ["A: 1", `A: 2 · ${asked[1]}`, `A: 2 · ${asked[2]}`]],
  ["the time if nothing differs", [{ a: 1 }, { a: 1 }], [`A: 1 · ${asked[0]}`, `A: 1 · ${asked[1]}`]],
  ["the time of one without arguments", [{ a: 1 }, {}], ["A: 1", asked[1]]],
  ["the time of what was cut", ['{"a', '{"a'], [asked[0], asked[1]]],
  ["what is at stake in one alone", [{ to: "Acme", eur: 4200, hard: true, b: 1 }], ["To: Acme · EUR: 4200"]],
  ["nothing of one without arguments", [{}], [""]],
])("tells %s", (_, calls, want) => expect(told("transfer", ...calls)).toEqual(want));

it.each<[string, string, string]>([
  ["Pay to Acme", '{"to":"Acme","eur":4200,"note":"x","b":1}', "EUR: 4200 · Note: x"],
  ["Delete user: u-17", '{"id":"u-17","hard":true}', "Hard: true"],
  ["Delete user", "{}", ""],
])("says beside %s what is at stake", (headline, args, want) => expect(stakeOf(headline, args)).toBe(want));

it.each<[string, string, boolean]>([
  ["Delete files", "Delete files: /srv/data", true],
  ["Delete files: /srv…", "Delete files: /srv/data", true],
  ["delete_files", "Remove all?", true],
  ["/form", "Where to?", true],
  ["Clean the disk", "Delete files: /srv/data", false],
  ["Payroll", "Pay to Zoe", false],
  ["支払い", "Pay to Zoe", false],
  ["delete_files", "", false],
])("knows whether %s says nothing beside “%s”: %s", (title, asks, said) => expect(isSaid(title, asks)).toBe(said));

it.each<[string, object, string]>([
  ["one question", { title: "Payroll" }, "Pay to Zoe"],
  ["several, some of which are left out", { title: "Payroll", omitted: 2 }, "Pay to Zoe and 2 more"],
])("calls a chat in the list by %s", (_, more, want) => {
  const interrupts = [{ id: "1", interrupt: { id: "1", reason: "tool_call" }, toolCall: { name: "pay", arguments: '{"to":"Zoe"}' } }];
  expect(rowWords({ interrupts, ...more } as never)).toBe(want);
});
