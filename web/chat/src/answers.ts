// Answers to open interrupts: what kind of question each is, and the entries that go back together.

import type { Interrupt, Message, ResumeEntry, ToolCall } from "@ag-ui/client";
import { fieldsOf, type Field } from "./fields";
import { propertiesOf, type Schema } from "./schema";

/** What a person has decided about one interrupt, not sent yet. */
export interface Answer {
  status: "resolved" | "cancelled";
  payload?: unknown;
  /** What was decided, in a word. */
  label: string;
}

/** How a question is put. `json` is for schemas that no form here can say. */
export type Question =
  | { kind: "approval"; editable: boolean; extras: Field[] }
  | { kind: "confirmation" }
  | { kind: "form"; fields: Field[] }
  | { kind: "json"; schema: Schema };

/** Reads off the schema and the reason how to ask. Unknown reasons are asked by their schema. */
export function questionOf(interrupt: Interrupt): Question {
  const schema = interrupt.responseSchema as Schema | undefined;
  if (!schema) {
    return interrupt.reason === "tool_call" ? { kind: "approval", editable: true, extras: [] } : { kind: "confirmation" };
  }
  const properties = propertiesOf(schema);
  if (properties.approved?.type === "boolean") {
    const extras = fieldsOf(schema, ["approved", "editedArgs"]);
    if (extras) return { kind: "approval", editable: "editedArgs" in properties, extras };
  }
  const fields = fieldsOf(schema);
  return fields && fields.length > 0 ? { kind: "form", fields } : { kind: "json", schema };
}

/** The entries for all open interrupts; undefined while one is unanswered. */
export function entriesFor(open: readonly Interrupt[], answers: Record<string, Answer>): ResumeEntry[] | undefined {
  const entries: ResumeEntry[] = [];
  for (const { id } of open) {
    const answer = answers[id];
    if (!answer) return undefined;
    entries.push({
      interruptId: id,
      status: answer.status,
      ...(answer.payload !== undefined && { payload: answer.payload }),
    } as ResumeEntry);
  }
  return entries;
}

/** The tool call an interrupt is about. */
export function toolCallOf(interrupt: Interrupt, messages: readonly Message[]): ToolCall | undefined {
  if (interrupt.toolCallId === undefined) return undefined;
  for (const message of messages) {
    if (message.role !== "assistant") continue;
    const call = message.toolCalls?.find((one) => one.id === interrupt.toolCallId);
    if (call) return call;
  }
  return undefined;
}

/** JSON as people read it; what is not JSON (yet) as it is. */
export function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
