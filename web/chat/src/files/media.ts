// Media of a message: the parts of its content that are no text, as AG-UI has them.

import type { ContentPart, UserMessage } from "@ag-ui/client";

export type Content = UserMessage["content"];
export type Medium = Exclude<ContentPart, { type: "text" }>;

/** The parts that are no text. */
export function mediaIn(content: unknown): readonly Medium[] {
  return Array.isArray(content) ? (content as ContentPart[]).filter((part): part is Medium => part.type !== "text") : [];
}

/** The text, without what is no text. */
export function saidIn(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return (content as ContentPart[]).flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

/** What a file is called, if that is told. */
export function fileName({ metadata }: { metadata?: unknown }): string | undefined {
  const name = (metadata as { filename?: unknown } | null | undefined)?.filename;
  return typeof name === "string" && name !== "" ? name : undefined;
}

/** The content of a message: text alone is a string, which every agent reads. */
export function contentOf(text: string, media: readonly Medium[]): Content {
  if (media.length === 0) return text;
  return text === "" ? [...media] : [{ type: "text", text }, ...media];
}
