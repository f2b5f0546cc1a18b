// Which files an agent takes, and how much of them goes into a message.

import type { Medium } from "./media";
import { takenOf, type Takes } from "./takes";

/** A file as far as it is judged before it is read. */
export interface Brought {
  name: string;
  /** Its media type, as the browser guesses it; empty where it does not know. */
  type: string;
  /** In bytes. */
  size: number;
}

/** Why a file is not attached. `agent`: the agent takes none; `alone`: it is too large by itself; `together`: with the others. */
export type Why = "agent" | "kind" | "empty" | "alone" | "together";

/** What a frame holds beside its files: the text and what AG-UI adds. */
const BESIDE = 128 << 10;

/** How many bytes of files go into a frame of so many: base64 makes four of three. */
export function roomIn(frameBytes: number | undefined): number {
  return frameBytes === undefined ? Infinity : Math.max(0, Math.floor((frameBytes - Math.min(BESIDE, frameBytes / 4)) / 4) * 3);
}

/** How many bytes a medium has that is in the message itself. */
export function sizeOf({ source }: Medium): number | undefined {
  if (source.type !== "data") return undefined;
  const { value } = source;
  return Math.floor((value.length * 3) / 4) - (value.endsWith("==") ? 2 : value.endsWith("=") ? 1 : 0);
}

/** What kind of part a file becomes for an agent that takes these; undefined where it does not take it. */
export function partFor(type: string, takes: Takes | undefined): Medium["type"] | undefined {
  const [family] = type.split("/");
  if ((family === "image" || family === "audio" || family === "video") && takes?.[family]) return family;
  return takes?.file || (takes?.pdf && type === "application/pdf") ? "document" : undefined;
}

/** Why a file cannot be attached of which `room` bytes go into a message, and `left` beside those that are attached; undefined where it can. */
export function refusal({ type, size }: Brought, takes: Takes | undefined, room: number, left: number): Why | undefined {
  if (takenOf(takes).length === 0) return "agent";
  if (partFor(type, takes) === undefined) return "kind";
  if (size === 0) return "empty";
  if (size > room) return "alone";
  return size > left ? "together" : undefined;
}

/** What a file picker offers. */
export function acceptOf(takes: Takes | undefined): string | undefined {
  if (takes?.file) return undefined;
  return takenOf(takes).map((kind) => (kind === "pdf" ? "application/pdf" : `${kind}/*`)).join();
}

/** A file as a part of a message, whose bytes are in `url`, a data: URL. */
export function mediumOf({ name, type }: Brought, takes: Takes | undefined, url: string): Medium {
  return {
    type: partFor(type, takes) ?? "document",
    source: { type: "data", value: url.slice(url.indexOf(",") + 1), mimeType: type || "application/octet-stream" },
    metadata: { filename: name },
  };
}

/** Pictures that a browser draws and that run nothing. */
const DRAWN = /^image\/(png|jpeg|gif|webp|avif)$/i;

/** The address of a picture that is in the message itself; undefined where it is none that is drawn. */
export function pictureOf({ source }: Medium): string | undefined {
  if (source.type === "data" && DRAWN.test(source.mimeType)) return `data:${source.mimeType};base64,${source.value}`;
  return source.type === "url" && /^data:image\/(png|jpeg|gif|webp|avif);base64,/i.test(source.value) ? source.value : undefined;
}
