import { expect, test } from "vitest";
import { answerBeside, answerWord, decidedAbout, decidedWhy } from "../src/inbox/decided";
import { toldOnRecord, verdictOf } from "../src/decision/told";
import { reasonWords } from "../src/inbox/reasons";

test("a decision is about the words of what was asked, not its JSON", () => {
  expect(decidedAbout({ message: '{"question":"Send it?","to":"ann"}', reason: "x:ask" })).toBe("Send it?");
  expect(decidedAbout({ message: '{"amount":30}', reason: "x:ask" })).toBe('{"amount":30}');
  expect(decidedAbout({ message: '{"question":"cut of', reason: "x:ask" })).toBe('{"question":"cut of');
  expect(decidedAbout({ reason: "x:ask" })).toBe("x:ask");
  expect(decidedAbout({ tool: "pay", arguments: { eur: 3 }, payload: { approved: true, editedArgs: { eur: 2 } }, reason: "tool_call" })).toBe("Pay, EUR 2");
  expect(decidedAbout({ tool: "pay", arguments: { eur: 3 }, message: "Pay?" })).toBe("Pay, EUR 3");
});

test("a reason is told in words, with how many wait for it", () => {
  expect(reasonWords("theirs")).toBe("theirs");
  expect(reasonWords("aguiws:question_forgotten", 2)).toBe("forgotten question (2)");
});

test("an answer is told in words, and what they do not say as it is", () => {
  for (const payload of [{ approved: true }, { approved: false, reason: "too dear" }, { approved: true, editedArgs: { eur: 2 } }]) expect(answerBeside({ arguments: { eur: 3 }, payload })).toBeUndefined();
  for (const payload of [undefined, null, 3, "x", { quarter: 1 }, { approved: "yes" }]) expect(answerBeside({ payload })).toBe(payload);
  const answers = [{ approved: true }, { approved: false }, { quarter: 1 }, undefined];
  expect(answers.map((payload) => answerWord({ tool: "pay", payload }))).toEqual(["Approved", "Declined", undefined, undefined]);
  expect(answers.map((payload) => answerWord({ payload }))).toEqual(["Yes", "No", undefined, undefined]);
  expect(answerBeside({ payload: { approved: true, limit: 3 } })).toEqual({ limit: 3 });
  expect(answerBeside({ payload: { approved: false, reason: 3 } })).toEqual({ reason: 3 });
});

test("what was approved is told whole where its changes are not", () => {
  const many = (value: number) => Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`p${i}`, value]));
  const payload = { approved: true, editedArgs: many(2) };
  for (const decision of [{ payload }, { arguments: many(1), payload }, { arguments: '{"p1":1,', cut: ["arguments"], payload }]) {
    expect(answerBeside(decision)).toEqual({ editedArgs: many(2) });
    const told = toldOnRecord({ id: "d", at: "2030-01-01T00:00:00Z", status: "resolved", threadId: "t", namespace: "n", interruptId: "i", refused: 0, ...decision });
    expect([verdictOf(told, true).words, told.cut]).toEqual(["edited", ["changed"]]);
  }
  expect(answerBeside({ arguments: { ...many(2), p3: 1 }, payload })).toBeUndefined();
});

test("why is in the words of whoever decided", () => {
  expect(decidedWhy({ payload: { approved: false, reason: "too dear" } })).toBe("too dear");
  for (const payload of [undefined, null, "x", { reason: 3 }, { reason: " " }]) expect(decidedWhy({ payload })).toBeUndefined();
});
