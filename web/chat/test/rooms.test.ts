// The rooms of the page and of its parts: a file imports from its own room and from those before it, never from one behind.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const places = [
  { src: join(import.meta.dirname, "../src"), rooms: ["words", "lib", "server", "bar", "decision", "markdown", "files", "log", "threads", "chat", "inbox", "ops"] },
  { src: join(import.meta.dirname, "../../react"), rooms: ["lib", "forms", "control", "decision", "threads", "thread", "inbox"] },
];
const others = ["styles", "test", "dist", "types"];
const most = 40;

const sources = (folder: string) => readdirSync(folder).filter((file) => /\.tsx?$/.test(file));
const importsOf = (path: string) => [...readFileSync(path, "utf8").matchAll(/from "\.\.\/([a-z]+)\//g)].map(([, room]) => room!);

test.each(places)("every folder of code in $src is a room, and small", ({ src, rooms }) => {
  const folders = readdirSync(src, { withFileTypes: true }).filter((entry) => entry.isDirectory() && !others.includes(entry.name));
  expect(folders.map(({ name }) => name).sort()).toEqual([...rooms].sort());
  for (const room of ["", ...rooms]) expect(sources(join(src, room)).length, room).toBeLessThanOrEqual(most);
});

test.each(places)("imports in $src go one way", ({ src, rooms }) => {
  const against = rooms.flatMap((room, at) => sources(join(src, room)).flatMap((file) =>
    importsOf(join(src, room, file)).filter((other) => rooms.indexOf(other) >= at).map((other) => `${room}/${file} imports from ${other}`)));
  expect(against).toEqual([]);
});

test("the parts import nothing of the page", () => {
  const { src, rooms } = places[1]!;
  const files = ["", ...rooms].flatMap((room) => sources(join(src, room)).map((file) => join(src, room, file)));
  expect(files.filter((file) => /from "(\.\.\/)+(chat|client)\b/.test(readFileSync(file, "utf8")))).toEqual([]);
});

test("no two names of a package's files are the same but for case, which some file systems do not tell apart", () => {
  const { src, rooms } = places[1]!;
  const names = ["", ...rooms].flatMap((room) => sources(join(src, room)).map((file) => `${room}/${file.replace(/\.tsx?$/, "")}`.toLowerCase()));
  expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
});

test("links and requests of the page begin at the server's base", () => {
  const { src, rooms } = places[0]!;
  const files = ["", ...rooms].flatMap((room) => sources(join(src, room)).map((file) => join(src, room, file)));
  const bare = /(href=\{?|src=\{?|goInstead\(|fetch\(|assign\(|url: )["'`]\/|\bgo\(["'`]\/(inbox|ops|\?)/g;
  expect(files.flatMap((file) => [...readFileSync(file, "utf8").matchAll(bare)].map(([text]) => `${file}: ${text}`))).toEqual([]);
});
