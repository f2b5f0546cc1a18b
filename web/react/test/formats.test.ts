// The formats of answers: the page checks what the server checks, by the server's own examples.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { judge } from "../forms/judge";

const file = new URL("../../../adapter/internal/responseschema/testdata/formats.json", import.meta.url);
const examples = Object.entries(JSON.parse(readFileSync(file, "utf8")) as Record<string, { valid: string[]; invalid: string[] }>);

describe.each(examples)("%s", (format, { valid, invalid }) => {
  it.each([...valid.map((text) => [text, 0] as const), ...invalid.map((text) => [text, 1] as const)])("%s", (text, faults) => {
    expect(judge({ type: "string", format }, text)).toHaveLength(faults);
  });
});
