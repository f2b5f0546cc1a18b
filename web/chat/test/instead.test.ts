import { expect, it } from "vitest";
import { insteadOf } from "../src/chat/instead";

it.each([
  ["a question", ["confirmation"], "Cancel the question and send"],
  ["two questions", ["confirmation", "tool_call"], "Cancel the questions and send"],
  ["a time", ["aguiws:timer"], "Stop waiting and send"],
  ["an event and a called agent", ["aguiws:event", "aguiws:call"], "Stop waiting and send"],
  ["a question beside a wait", ["aguiws:timer", "input_required"], "Cancel the question and send"],
])("says what a message does over %s", (_, reasons, button) => {
  const words = insteadOf(reasons);
  expect(words.button).toBe(button);
  expect(words.unsent).toMatch(button.startsWith("Stop") ? /^Not sent: the agent waits/ : /^Not sent: (a question is|questions are) open/);
});
