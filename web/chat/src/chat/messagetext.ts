import { fileName } from "../files/media";

/** Text as text; parts that are no text are named. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((part: { type?: string; text?: string; metadata?: unknown }) => (part.type === "text" ? (part.text ?? "") : `[${fileName(part) ?? part.type ?? "part"}]`))
    .join("\n");
}
