// Words for tools, arguments and calls.

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { headlineOf, labelsOf, shortened, worded } from "../lib/naming";

it.each([
  ["send_email", "Send email"],
  ["sendEmail", "Send email"],
  ["SendEmail", "Send email"],
  ["send-email", "Send email"],
  ["mail.send/now", "Mail send now"],
  ["dueDate", "Due date"],
  ["userID", "User ID"],
  ["order_id", "Order ID"],
  ["eur", "EUR"],
  ["amountUsd", "Amount USD"],
  ["idea", "Idea"],
  ["parseJSONFile", "Parse JSON file"],
  ["task_1", "Task 1"],
  ["to", "To"],
  ["über_prüfen", "Über prüfen"],
  ["发送", "发送"],
  ["__", "__"],
  ["", ""],
])("reads %s as %s", (name, words) => expect(worded(name)).toBe(words));

// The server's test reads the same cases.
const cases: Array<{ name: string; arguments: string; says: string }> = JSON.parse(
  readFileSync(new URL("../../../adapter/internal/admit/testdata/headlines.json", import.meta.url), "utf8"),
);

it.each(cases)("says of $name $arguments what it does", ({ name, arguments: args, says }) => expect(headlineOf(name, args)).toBe(says));

it.each([
  ["wait", undefined, "Wait"],
  ["note", `{"text":"${"word ".repeat(40)}"}`, `Note: ${"word ".repeat(10)}word…`],
  ["note", JSON.stringify({ text: "x".repeat(50_000) }), "Note"],
])("says of %s what it does, case %#", (name, args, words) => expect(headlineOf(name, args)).toBe(words));

it("labels members by their titles, or by their names as words, and never two alike", () => {
  expect(labelsOf(["to", "due_date"])).toEqual(["To", "Due date"]);
  expect(labelsOf(["to", "cc"], (name) => ({ to: "Recipient", cc: " " })[name])).toEqual(["Recipient", "Cc"]);
  expect(labelsOf(["due_date", "dueDate", "to"])).toEqual(["due_date", "dueDate", "To"]);
  expect(labelsOf(["a", "b"], () => "Same")).toEqual(["a", "b"]);
});

it("cuts at a word, and between two characters where there is none", () => {
  expect(shortened("one two three", 13)).toBe("one two three");
  expect(shortened("one two three", 12)).toBe("one two…");
  expect(shortened("😀".repeat(20), 5)).toBe("😀😀😀😀…");
});
