// Interrupts as a TanStack chat takes them: bound to the run that asks, and refused in a way that keeps them open.

import { canonicalInterruptJson, digestInterruptJson, readInterruptBinding, withInterruptBinding, type Interrupt } from "@tanstack/ai/client";
import type { WireEvent } from "./frames.js";

/** The chat's own number of a question under its run; there is one alone, as an answered one is not asked again. */
const GENERATION = 0;

/** The interrupts with what the chat needs to let them be answered, under the name that it knows the run by. */
export function bound(interrupts: readonly unknown[], interruptedRunId: string): Interrupt[] {
  return (interrupts as Interrupt[]).map((interrupt) => {
    const { id, expiresAt } = interrupt;
    const own = readInterruptBinding(interrupt);
    const responseSchemaHash = digest(interrupt.responseSchema);
    return withInterruptBinding(interrupt, {
      ...(own ?? { v: 1, kind: "generic", interruptId: id, ...(expiresAt && { expiresAt }), ...(responseSchemaHash && { responseSchemaHash }) }),
      interruptedRunId,
      generation: GENERATION,
    });
  });
}

/** A schema that is no JSON has no digest, and the chat makes none either. */
function digest(schema: unknown): string | undefined {
  if (schema === undefined) return undefined;
  try {
    return digestInterruptJson(canonicalInterruptJson(schema));
  } catch {
    return undefined;
  }
}

/** Answers as they were sent, and the run that asked. */
export interface Answers {
  threadId: string;
  interruptedRunId: string;
  interruptIds: string[];
}

const CODES: Record<string, string> = {
  interrupt_payload_invalid: "invalid-payload",
  interrupt_payload_too_complex: "invalid-payload",
  interrupt_unknown: "unknown-interrupt",
  interrupt_expired: "expired",
  interrupt_conflict: "conflict",
};

/** Refusals that say that somebody else has answered, so that the chat shows what is not asked any more. */
export const ANSWERED_ELSEWHERE = new Set(["interrupt_conflict", "interrupt_unknown"]);

interface Details {
  fields?: Array<{ interruptId: string; pointer: string; message: string }>;
  interruptId?: string;
  interruptIds?: string[];
  retryAfterMs?: number;
}

/** What the chat shows at each question, and above them, when its answers were refused. */
export function refusals(event: WireEvent, { interruptIds, ...correlation }: Answers): object[] {
  const code = String(event.code ?? "");
  const details = ((event.metadata as { aguiws?: Details } | undefined)?.aguiws ?? {}) as Details;
  const about = [...(details.fields ?? []).map((field) => field.interruptId), ...(details.interruptIds ?? []), details.interruptId];
  const named = interruptIds.filter((id) => about.includes(id));
  const common = { message: String(event.message ?? ""), source: "server", retryable: false, generation: GENERATION, ...correlation };
  const item = CODES[code];
  if (item === undefined) {
    const retryable = details.retryAfterMs !== undefined;
    return [{ scope: "batch", code: code === "interrupts_uncovered" ? "incomplete-batch" : "server", interruptIds, ...common, retryable }];
  }
  return (named.length > 0 ? named : interruptIds).map((interruptId) => {
    const fields = (details.fields ?? []).filter((field) => field.interruptId === interruptId);
    const message = fields.map((field) => `${field.pointer}: ${field.message}`).join("\n");
    return { scope: "item", code: item, interruptId, ...common, ...(message && { message }), ...(fields[0] && { path: path(fields[0].pointer) }) };
  });
}

/** The members that a JSON pointer names. */
function path(pointer: string): string[] {
  return pointer.split("/").slice(1).map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}
