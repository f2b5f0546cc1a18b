// How an interrupt is answered: the same table holds package client of Go to the same ways.

import { readFileSync } from "node:fs";
import type { Interrupt } from "@ag-ui/client";
import { expect, it } from "vitest";
import { answersOf, questionText, type AnswerChoice } from "../index";

interface Row {
  name: string;
  interrupt: Interrupt;
  text: string;
  choices: AnswerChoice[];
  otherwise: string;
}

const table = JSON.parse(readFileSync(new URL("../../../client/testdata/answers.json", import.meta.url), "utf8")) as Row[];

it.each(table)("$name", ({ interrupt, text, choices, otherwise }) => {
  expect(answersOf(interrupt)).toEqual({ choices, otherwise });
  expect(questionText(interrupt) ?? "").toBe(text);
});

it("takes twenty of the answers that an agent lists", () => {
  const answers = Array.from({ length: 30 }, (_, i) => ({ label: `${i}`, payload: i }));
  expect(answersOf({ id: "i", reason: "a:b", metadata: { answers } }).choices).toEqual(answers.slice(0, 20));
});
