import { expect, it } from "vitest";
import { allOver, insteadOf } from "../src/chat/instead";

it.each([
  ["a question", ["confirmation"], "Cancel the question and send"],
  ["two questions", ["confirmation", "tool_call"], "Cancel the questions and send"],
  ["a time", ["aguiws:timer"], "Stop waiting and send"],
  ["an event and a called agent", ["aguiws:event", "aguiws:call"], "Stop waiting and send"],
  ["a question beside a wait", ["aguiws:timer", "input_required"], "Cancel the question and send"],
])("says what a message does over %s", (_, reasons, button) => {
  const words = insteadOf(reasons);
  expect(words.button).toBe(button);
  expect(words.unsent).toMatch(button.startsWith("Stop") ? /^Not sent yet: the agent waits/ : /^Not sent yet: (a question is|questions are) open/);
});

const [past, future] = ["2020-01-01T00:00:00Z", "2999-01-01T00:00:00Z"];

it.each([
  ["nothing is open", [], false],
  ["all questions have expired", [{ reason: "confirmation", expiresAt: past }, { reason: "tool_call", expiresAt: past }], true],
  ["one can still be answered", [{ reason: "confirmation", expiresAt: past }, { reason: "tool_call", expiresAt: future }], false],
  ["a question never expires", [{ reason: "confirmation" }], false],
  ["a time that is waited for has come", [{ reason: "aguiws:timer", expiresAt: past }], false],
])("asks about what is open if %s: %j, over: %s", (_, open, over) => {
  expect(allOver(open)).toBe(over);
});
