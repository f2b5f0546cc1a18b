import { expect, it } from "vitest";
import { hasFailed, stands } from "../threads/stands";

const now = new Date().toISOString();
const rest = { waiting: false, active: false, queued: 0, updatedAt: now };

it.each([
  ["at rest", rest, "just now"],
  ["whose latest turn failed", { ...rest, failed: true }, "failed just now"],
  ["that asks", { ...rest, failed: true, waiting: true }, "waiting for you"],
  ["that asks for some time", { ...rest, waiting: true, expiresAt: "2999-01-01T00:00:00Z" }, "waiting for you"],
  ["whose question has expired", { ...rest, waiting: true, expiresAt: now }, "question expired, just now"],
  ["that waits for an event", { ...rest, waiting: true, waitsOn: "aguiws:event", waitsUntil: now }, "waits for an event"],
  ["that has called another agent", { ...rest, waiting: true, waitsOn: "aguiws:call" }, "waits for another agent"],
  ["that sleeps", { ...rest, waiting: true, waitsOn: "aguiws:timer" }, "sleeps"],
  ["that sleeps until", { ...rest, waiting: true, waitsOn: "aguiws:timer", waitsUntil: new Date(2020, 0, 31, 14, 5).toISOString() }, "sleeps until Jan 31, 14:05"],
  ["that tries again", { ...rest, failed: true, active: true }, "working"],
  ["that is to try again", { ...rest, failed: true, queued: 1 }, "queued"],
])("says how it stands with a chat %s", (_, thread, words) => {
  expect(stands(thread)).toBe(words);
  expect(hasFailed(thread)).toBe(words.startsWith("failed"));
});
