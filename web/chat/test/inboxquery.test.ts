// What the server is asked for.

import { expect, it } from "vitest";
import { decidedAbout, decidedBy, decidedHow } from "../src/inbox/decided";
import { countFilters, inboxPath, isFiltered, NO_FILTERS, pathAt, type Filters } from "../src/inbox/inboxquery";

const at = Date.parse("2030-01-31T14:00:00Z");

it.each<[Partial<Filters>, number, string]>([
  [{}, 0, ""],
  [{ reason: "tool_call" }, 0, "&reason=tool_call"],
  [{ tool: " pay & go ", agent: " " }, 0, "&tool=pay+%26+go"],
  [{ user: "ann", thread: "t", runId: "r" }, 2, "&user=ann&thread=t&runId=r"],
  [{ asked: "older:3600" }, 1, "&askedBefore=2030-01-31T13%3A00%3A00.000Z"],
  [{ asked: "newer:86400" }, 1, "&askedAfter=2030-01-30T14%3A00%3A00.000Z"],
  [{ due: "3600" }, 0, "&deadlineBefore=2030-01-31T15%3A00%3A00.000Z"],
  [{ due: "0" }, 0, "&deadlineBefore=2030-01-31T14%3A00%3A00.000Z"],
  [{ everywhere: true }, 1, "&tenants=all"],
])("asks for %j", (some, count, query) => {
  const filters = { ...NO_FILTERS, ...some };
  expect(pathAt(inboxPath(filters, 50), at)).toBe(`/inbox?limit=50${query}`);
  expect(countFilters(filters)).toBe(count);
  expect(isFiltered(filters)).toBe(Object.keys(some).length > 0);
});

it("follows the clock, and stays the same list", () => {
  const path = `${inboxPath({ ...NO_FILTERS, due: "0" }, 50)}&cursor=a%2Bb`;
  expect([at, at + 60_000].map((now) => pathAt(path, now))).toEqual([
    "/inbox?limit=50&deadlineBefore=2030-01-31T14%3A00%3A00.000Z&cursor=a%2Bb",
    "/inbox?limit=50&deadlineBefore=2030-01-31T14%3A01%3A00.000Z&cursor=a%2Bb",
  ]);
});

it.each([
  [{ status: "resolved", tool: "pay", payload: { approved: true } }, "Approved"],
  [{ status: "resolved", payload: { approved: true } }, "Yes"],
  [{ status: "resolved", payload: { approved: true, editedArgs: {} } }, "Approved with edits"],
  [{ status: "resolved", tool: "pay", payload: { approved: false } }, "Declined"],
  [{ status: "resolved", payload: { approved: false } }, "No"],
  [{ status: "resolved", payload: { quarter: "Q2" } }, "Answered"],
  [{ status: "resolved", payload: undefined }, "Answered"],
  [{ status: "cancelled", payload: undefined }, "No answer given"],
  [{ status: "cancelled", payload: undefined, through: "steering" }, "Cancelled"],
  [{ status: "expired", payload: undefined }, "Timed out"],
  [{ status: "expired", payload: { approved: false } }, "Timed out, default answer given"],
] as const)("calls %j %s", (decision, words) => expect(decidedHow(decision)).toBe(words));

it.each([
  [{ status: "resolved", user: "ann", through: "inbox" }, "ann in the inbox"],
  [{ status: "resolved", user: "ann", through: "something new" }, "ann"],
  [{ status: "cancelled", through: "steering" }, "somebody by a new message"],
  [{ status: "expired", user: "ann", through: "expiry" }, "nobody in time"],
] as const)("says of %j: %s", (decision, words) => expect(decidedBy(decision)).toBe(words));

it.each([
  [{ tool: "pay", arguments: { eur: 3 } }, "Pay, EUR 3"],
  [{ tool: "pay" }, "Pay"],
  [{ message: "Sure?", reason: "confirmation" }, "Sure?"],
  [{ message: "a".repeat(200) }, `${"a".repeat(159)}…`],
])("says what %j was about", (decision, words) => expect(decidedAbout(decision)).toBe(words));
