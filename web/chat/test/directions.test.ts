// The page can be written from right to left: its styles name the sides of a line by where that begins and ends.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const folders = ["../src/styles", "../../react/styles"].map((folder) => join(import.meta.dirname, folder));

it("names no side that stays where it is when the direction turns", () => {
  const sides = folders.flatMap((folder) =>
    readdirSync(folder).filter((file) => file.endsWith(".css")).flatMap((file) => {
      const declared = [...readFileSync(join(folder, file), "utf8").matchAll(/[{;]\s*([a-z-]+):\s*([^;{}]+)/g)];
      expect(declared.length, file).toBeGreaterThan(0);
      return declared.filter(([, name, value]) => sided(name!, value!)).map(([, name, value]) => `${file}: ${name}: ${value}`);
    }),
  );
  expect(sides).toEqual([]);
});

function sided(name: string, value: string): boolean {
  if (/(?:^|-)(?:left|right)(?:-|$)/.test(name) || /^(?:left|right)$/.test(value.trim())) return true;
  if (!/^(?:margin|padding|inset|border-width)$/.test(name)) return false;
  const [, right, , left] = value.trim().split(/\s+(?![^(]*\))/);
  return left !== undefined && left !== right;
}
