import type { Message } from "@ag-ui/client";
import { textOf } from "./messagetext";

/** A longer title says no more, in characters. */
const LENGTH = 60;

/** What a conversation is called where it is looked at: how it began. Undefined before that. */
export function titleOf(messages: readonly Message[]): string | undefined {
  const first = messages.find((message) => message.role === "user");
  const text = [...textOf(first?.content).trim().replace(/\s+/g, " ")];
  if (text.length === 0) return undefined;
  return text.length > LENGTH ? `${text.slice(0, LENGTH - 1).join("")}…` : text.join("");
}
