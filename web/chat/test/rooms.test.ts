// The page's rooms: a file imports from its own room and from those before it, never from one behind.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const src = join(import.meta.dirname, "../src");
const rooms = ["lib", "server", "bar", "forms", "decision", "markdown", "threads", "chat", "inbox", "ops"];
const most = 40;

const sources = (room: string) => readdirSync(join(src, room)).filter((file) => /\.tsx?$/.test(file));
const importsOf = (path: string) => [...readFileSync(join(src, path), "utf8").matchAll(/from "\.\.\/([a-z]+)\//g)].map(([, room]) => room!);

test("every folder of code is a room, and small", () => {
  const folders = readdirSync(src, { withFileTypes: true }).filter((entry) => entry.isDirectory() && entry.name !== "styles");
  expect(folders.map(({ name }) => name).sort()).toEqual([...rooms].sort());
  for (const room of ["", ...rooms]) expect(sources(room).length, room).toBeLessThanOrEqual(most);
});

test("imports go one way", () => {
  const against = rooms.flatMap((room, at) => sources(room).flatMap((file) =>
    importsOf(join(room, file)).filter((other) => rooms.indexOf(other) >= at).map((other) => `${room}/${file} imports from ${other}`)));
  expect(against).toEqual([]);
});
