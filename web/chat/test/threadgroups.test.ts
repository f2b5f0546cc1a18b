// The order of the chats beside the one that is looked at.

import { expect, it } from "vitest";
import type { ThreadInfo } from "../src/server/api";
import { folded, saysMore, threadGroups } from "../src/threads/threadgroups";

const NOW = new Date(2026, 10, 24, 0, 30).getTime();

function thread(threadId: string, at: number, waiting = false): ThreadInfo {
  return { threadId, title: threadId, updatedAt: new Date(at).toISOString(), active: false, waiting, queued: 0 };
}

const back = (days: number, hours = 0) => new Date(2026, 10, 24 - days, -hours, 29).getTime();
const shape = (latest: ThreadInfo[], waiting: ThreadInfo[] = []) =>
  threadGroups(latest, waiting, NOW).map(({ name, threads }) => `${name}: ${threads.map(({ threadId }) => threadId).join(" ")}`);

it("goes by days as they are spoken of, whose border is midnight", () => {
  expect(
    shape([thread("now", NOW), thread("later", NOW + 5_000), thread("late", back(0, 1)), thread("mon", back(2)), thread("week", back(7)), thread("oct", back(40))]),
  ).toEqual(["Today: now later", "Yesterday: late", "Previous 7 days: mon", "Previous 30 days: week", "October 2026: oct"]);
});

it("has those that wait first, however old they are, and each once", () => {
  const asks = thread("asks", back(1), true);
  expect(shape([thread("new", NOW), asks], [thread("ancient", back(300), true), asks])).toEqual(["Waiting for you: asks ancient", "Today: new"]);
});

it("has those that wait for nobody among the others", () => {
  expect(shape([{ ...thread("sleeps", NOW, true), waitsOn: "aguiws:timer" }])).toEqual(["Today: sleeps"]);
  expect(shape([{ ...thread("calls", NOW, true), waitsOn: "aguiws:call", waitsFor: ["part"] }])).toEqual(["Waiting for you: calls"]);
});

it("has those whose questions have expired among the others", () => {
  const late = { ...thread("late", NOW, true), expiresAt: new Date(NOW).toISOString() };
  expect(shape([late], [{ ...late, threadId: "ancient" }])).toEqual(["Today: late"]);
});

it("believes the list about what has gone on since the others were looked for", () => {
  expect(shape([thread("answered", NOW)], [thread("answered", NOW, true)])).toEqual(["Today: answered"]);
});

it("shows five of those that wait, and the one that is looked at, unless that leaves one", () => {
  const many = (n: number) => threadGroups(Array.from({ length: n }, (_, i) => thread(`${i}`, NOW, true)), [], NOW)[0]!;
  const ids = (n: number, current: string) => folded(many(n), current).map(({ threadId }) => threadId).join("");
  expect([ids(6, ""), ids(7, ""), ids(7, "2"), ids(9, "8")]).toEqual(["012345", "01234", "01234", "012348"]);
  expect(folded({ ...many(9), waits: false }, "")).toHaveLength(9);
});

it("has no group without any", () => {
  expect(shape([])).toEqual([]);
});

it.each([
  ["Second question: still go on?", "Deploy to production?", true],
  ["Send email to bob@example.com", "Send an email to bob@example.com", false],
  ["Deploy to production?", "Deploy to production", false],
  ["", "Deploy", false],
])("tells %s below %s if it says more: %s", (question, title, more) => expect(saysMore(question, title)).toBe(more));
