// What is open, and how it is closed.

import { expect, it } from "vitest";
import type { WireEvent } from "../frames";
import { OpenItems } from "../openitems";

const opened = [
  { type: "SUBAGENT_STARTED", subagentRunId: "parent", name: "p" },
  { type: "SUBAGENT_STARTED", subagentRunId: "child", name: "c", parentSubagentRunId: "parent" },
  { type: "STEP_STARTED", stepName: "s" },
  { type: "STEP_STARTED", stepName: "s", subagentRunId: "child" },
  { type: "TEXT_MESSAGE_START", messageId: "m", subagentRunId: "child" },
  { type: "TOOL_CALL_START", toolCallId: "m", toolCallName: "f" },
  { type: "REASONING_START", messageId: "m" },
  { type: "REASONING_MESSAGE_START", messageId: "m", role: "reasoning" },
] as unknown as WireEvent[];

it("is closed innermost first, each by its owner", () => {
  const items = new OpenItems();
  for (const event of opened) items.fold(event);
  expect(items.closingsExcept([])).toEqual([
    { type: "REASONING_MESSAGE_END", messageId: "m" },
    { type: "REASONING_END", messageId: "m" },
    { type: "TOOL_CALL_END", toolCallId: "m" },
    { type: "TEXT_MESSAGE_END", messageId: "m", subagentRunId: "child" },
    { type: "STEP_FINISHED", stepName: "s", subagentRunId: "child" },
    { type: "STEP_FINISHED", stepName: "s" },
    { type: "SUBAGENT_FINISHED", subagentRunId: "child" },
    { type: "SUBAGENT_FINISHED", subagentRunId: "parent" },
  ]);
});

it("tells items of one name and different kinds or owners apart", () => {
  const items = new OpenItems();
  for (const event of opened) items.fold(event);
  expect(items.closingsExcept(opened.filter((event) => event.type !== "STEP_STARTED" || event.subagentRunId))).toEqual([
    { type: "STEP_FINISHED", stepName: "s" },
  ]);
  items.fold({ type: "TOOL_CALL_END", toolCallId: "m" } as WireEvent);
  expect(items.has(opened[5]!)).toBe(false);
  expect(items.has(opened[4]!)).toBe(true);
});

it("is nothing when a run begins", () => {
  const items = new OpenItems();
  for (const event of opened) items.fold(event);
  items.fold({ type: "RUN_STARTED", threadId: "t", runId: "r" } as WireEvent);
  expect(items.closingsExcept([])).toEqual([]);
});
