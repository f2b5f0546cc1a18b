// What is said of failures.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { wordsFor } from "../src/words";

const file = (name: string) => readFileSync(fileURLToPath(new URL(`../../${name}`, import.meta.url)), "utf8");
const unknown = wordsFor("a code that nobody knows");

/** The codes in the first column of the binding's tables that end in a RUN_ERROR or a ws.error. */
function codesOfTheBinding(): string[] {
  const rows = file("../server/BINDING.md").matchAll(/^\| ((?:`[a-z_]+`(?:, )?)+) \| (?:`RUN_ERROR`|`ws.error`|both)/gm);
  return [...rows].flatMap(([, cell]) => [...cell!.matchAll(/`([a-z_]+)`/g)].map(([, code]) => code!));
}

/** The codes with which the client fails by itself. */
function codesOfTheClient(): string[] {
  const sources = readdirSync(fileURLToPath(new URL("../../client", import.meta.url))).filter((name) => name.endsWith(".ts"));
  return sources.flatMap((name) => [...file(`client/${name}`).matchAll(/TransportError\(\s*"(\w+)"/g)].map(([, code]) => code!));
}

it("has words for every code of the binding and of the client", () => {
  const codes = [...codesOfTheBinding(), ...codesOfTheClient()];
  expect(codes.length).toBeGreaterThan(18);
  expect(codes.filter((code) => wordsFor(code).title === unknown.title)).toEqual([]);
});

it("has words for every close that is final", () => {
  const codes = /FINAL_CLOSES = new Set\(\[([\d, ]+)\]/.exec(file("client/connection.ts"))![1]!.split(", ");
  expect(codes.length).toBeGreaterThan(3);
  expect(codes.filter((code) => wordsFor(code).title === unknown.title)).toEqual([]);
});

it("has something to say of what it does not know", () => {
  expect(unknown.title).not.toBe("");
  expect(unknown.advice).not.toBe("");
});
