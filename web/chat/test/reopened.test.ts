// An answer whose run could not go on is told so, and no later one with it.

import { expect, it } from "vitest";
import type { InboxItem } from "../src/server/api";
import { askKeyOf } from "../src/inbox/asked";
import { openAgain, turnedOut } from "../src/inbox/reopened";

const item = { namespace: "ns", threadId: "t", runId: "r" } as InboxItem;
const said = (run: string) => ({ key: askKeyOf(item), text: "goes on", goesOn: true, run, openAgain: (why: string) => `not ${run}: ${why}` });

it("says of the answer that was given back why it was, and nothing else of the others", () => {
  const told = turnedOut([said("one"), said("two")], new Map([["one", "agent_replay_diverged"], ["three", "agent_error"]]));
  expect(told.map(({ text, goesOn }) => [text, goesOn])).toEqual([["not one: The agent has changed since this began.", false], ["goes on", true]]);
  expect(openAgain(told.slice(0, 1), item)).toBe("not one: The agent has changed since this began.");
  expect(openAgain(told, item)).toBeUndefined();
});
