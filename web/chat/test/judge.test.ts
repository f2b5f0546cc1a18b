// Which files are attached, and what is sent of them.

import { expect, it } from "vitest";
import { pastedFiles } from "../src/chat/brought";
import { contentOf, mediaIn, saidIn } from "../src/files/media";
import { acceptOf, mediumOf, partFor, pictureOf, refusal, roomIn, sizeOf } from "../src/files/judge";

const KB = 1 << 10;
const picture = { image: true };
const all = { image: true, audio: true, video: true, pdf: true, file: true };

it.each([
  ["an agent that says nothing", undefined, "image/png", 1, "agent"],
  ["an agent that takes none", { image: false }, "image/png", 1, "agent"],
  ["a picture", picture, "image/png", 60 * KB, undefined],
  ["another kind", picture, "application/pdf", 1, "kind"],
  ["a kind that the browser does not know", picture, "", 1, "kind"],
  ["a picture for who takes files alone", { file: true }, "image/png", 1, undefined],
  ["any file", { file: true }, "", 1, undefined],
  ["a PDF", { pdf: true }, "application/pdf", 1, undefined],
  ["a text, where PDFs are taken", { pdf: true }, "text/plain", 1, "kind"],
  ["an empty file", all, "text/plain", 0, "empty"],
  ["what is too large by itself", all, "image/png", 100 * KB + 1, "alone"],
  ["what is too large beside the others", all, "image/png", 60 * KB + 1, "together"],
] as const)("judges %s", (_, takes, type, size, why) => {
  expect(refusal({ name: "a", type, size }, takes, 100 * KB, 60 * KB)).toBe(why);
});

it.each([
  ["image/png", all, "image"],
  ["audio/mpeg", all, "audio"],
  ["video/mp4", all, "video"],
  ["application/pdf", all, "document"],
  ["", all, "document"],
  ["image/png", { file: true }, "document"],
  ["image/png", { pdf: true }, undefined],
] as const)("makes of %j for who takes %j the part %s", (type, takes, part) => expect(partFor(type, takes)).toBe(part));

it.each([
  [picture, "image/*"],
  [{ image: true, audio: true, pdf: true }, "image/*,audio/*,application/pdf"],
  [all, undefined],
] as const)("offers for %j %s", (takes, accept) => expect(acceptOf(takes)).toBe(accept));

it("finds room for what base64 makes a third larger, and for the text beside it", () => {
  for (const frame of [4 << 20, 64 * KB, 1]) {
    const room = roomIn(frame);
    expect(4 * Math.ceil(room / 3)).toBeLessThan(frame);
    expect(room).toBeGreaterThanOrEqual(Math.floor(frame / 2));
  }
  expect(roomIn(4 << 20)).toBeGreaterThan(2.8 * (1 << 20));
  expect(roomIn(undefined)).toBe(Infinity);
});

it.each([["AA==", 1], ["AAA=", 2], ["AAAA", 3], ["", 0]])("measures %j", (value, bytes) => {
  expect(sizeOf({ type: "image", source: { type: "data", value, mimeType: "image/png" } })).toBe(bytes);
});

it("sends text and media as parts, and text alone as text", () => {
  const medium = mediumOf({ name: "a.png", type: "image/png", size: 1 }, picture, "data:image/png;base64,AA==");
  expect(medium).toEqual({ type: "image", source: { type: "data", value: "AA==", mimeType: "image/png" }, metadata: { filename: "a.png" } });
  expect(contentOf("Look", [medium])).toEqual([{ type: "text", text: "Look" }, medium]);
  expect(contentOf("", [medium])).toEqual([medium]);
  expect(contentOf("Look", [])).toBe("Look");
  expect([saidIn(contentOf("Look", [medium])), mediaIn(contentOf("Look", [medium]))]).toEqual(["Look", [medium]]);
  expect(mediumOf({ name: "a", type: "", size: 1 }, all, "data:application/octet-stream;base64,AA==").source).toEqual({ type: "data", value: "AA==", mimeType: "application/octet-stream" });
});

it.each([
  [{ type: "data", value: "AA==", mimeType: "image/png" }, "data:image/png;base64,AA=="],
  [{ type: "data", value: "AA==", mimeType: "image/svg+xml" }, undefined],
  [{ type: "data", value: "AA==", mimeType: 'image/png" onload="x' }, undefined],
  [{ type: "url", value: "data:image/gif;base64,AA==" }, "data:image/gif;base64,AA=="],
  [{ type: "url", value: "data:text/html,x" }, undefined],
  [{ type: "url", value: "https://example.org/a.png" }, undefined],
  [{ type: "file", value: "handle" }, undefined],
] as const)("draws of %j %s", (source, src) => expect(pictureOf({ type: "image", source })).toBe(src));

it.each([
  ["a picture", ["Files"], 1],
  ["a picture of a page, with its address", ["text/html", "Files"], 1],
  ["a file, with its name", ["text/plain", "Files"], 1],
  ["cells, with a picture of them", ["text/plain", "text/html", "Files"], 0],
] as const)("takes of a paste of %s %s", (_, types, count) => {
  expect(pastedFiles({ types, files: [new File(["x"], "a")] as unknown as FileList })).toHaveLength(count);
});
