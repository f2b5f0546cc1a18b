// What the page weighs before anything is said in it, as it is committed.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";

const dist = (name: string) => readFileSync(fileURLToPath(new URL(`../../dist/${name}`, import.meta.url)));

/** The files that a browser loads with the page: what it names, and what that imports. */
function loaded(): Map<string, Buffer> {
  const html = dist("index.html");
  const files = new Map([["index.html", html]]);
  const follow = (name: string) => {
    if (files.has(name)) return;
    const body = dist(name);
    files.set(name, body);
    if (!name.endsWith(".js")) return;
    for (const [, imported] of body.toString().matchAll(/(?:^|[;}\n])\s*(?:import|export)(?:[\w*{}\s,$]+from)?\s*"\.\/([^"]+)"/g)) {
      follow(`assets/${imported}`);
    }
  };
  for (const [, name] of html.toString().matchAll(/(?:src|href)="\.\/([^"]+)"/g)) follow(name!);
  return files;
}

it("weighs at most 200 KiB before its first message", () => {
  const files = loaded();
  const weight = [...files.values()].reduce((sum, body) => sum + gzipSync(body).length, 0);
  expect([...files.keys()].filter((name) => name.endsWith(".js")).length).toBeGreaterThan(0);
  expect(weight).toBeGreaterThan(50 << 10);
  expect(weight, [...files.keys()].join()).toBeLessThanOrEqual(200 << 10);
});

it("loads questions, forms, the reader of Markdown and the other places when they are needed", () => {
  const names = [...loaded().keys()].join();
  for (const part of ["SchemaForm", "Interrupts", "ToolFacts", "Markdown", "Inbox", "Operator", "Inspector", "judge"]) expect(names).not.toContain(part);
});
