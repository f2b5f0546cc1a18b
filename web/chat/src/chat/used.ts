// How many tokens runs have used, as their ends tell it: shown at the end of what they said. Kept for the tab's reloads; a
// count is no secret.

import type { Message, TokenUsage } from "@ag-ui/client";
import { locale, words } from "../words";

const KEY = "aguiws:used:";

/** More runs of one thread than this are forgotten, oldest first. */
const KEPT = 200;

/** What a run has used, behind which message. A count that nobody told is left out. */
export interface Used {
  runId: string;
  messageId: string;
  input?: number;
  output?: number;
  total?: number;
}

export function usedIn(threadId: string): readonly Used[] {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEY + threadId) ?? "[]") as unknown;
    return Array.isArray(kept) ? kept.filter((one) => typeof one?.runId === "string" && typeof one.messageId === "string") : [];
  } catch {
    return [];
  }
}

/** With one more run, which has ended behind these messages; the same where its end tells of no tokens, or nothing was said. */
export function rememberUsed(threadId: string, used: readonly Used[], runId: string, usage: readonly TokenUsage[] | undefined, messages: readonly Message[]): readonly Used[] {
  const said = messages.findLast(({ role }) => role === "assistant" || role === "user");
  const counts = countsOf(usage);
  if (said?.role !== "assistant" || !counts) return used;
  const more = [...used.filter((one) => one.runId !== runId), { runId, messageId: said.id, ...counts }].slice(-KEPT);
  try {
    sessionStorage.setItem(KEY + threadId, JSON.stringify(more));
  } catch {
    // Full or forbidden: the counts last until the reload.
  }
  return more;
}

function countsOf(usage: readonly TokenUsage[] | undefined): Pick<Used, "input" | "output" | "total"> | undefined {
  const sum = (count: "inputTokens" | "outputTokens" | "totalTokens") =>
    usage?.reduce<number | undefined>((all, { [count]: n }) => (typeof n === "number" ? (all ?? 0) + n : all), undefined);
  const [input, output, total] = [sum("inputTokens"), sum("outputTokens"), sum("totalTokens")];
  return input === undefined && output === undefined && total === undefined ? undefined : { input, output, total };
}

/** What the runs that ended behind each message have used, by its id: "1,234 tokens in, 56 out". */
export function usedWords(used: readonly Used[]): ReadonlyMap<string, string> {
  return new Map(used.map(({ messageId }) => [messageId, wordsOf(used.filter((one) => one.messageId === messageId))]));
}

function wordsOf(here: readonly Used[]): string {
  const sum = (count: "input" | "output" | "total") => {
    const told = here.flatMap(({ [count]: n }) => (n === undefined ? [] : [n]));
    return told.length === 0 ? undefined : told.reduce((a, b) => a + b).toLocaleString(locale);
  };
  const [input, output, total] = [sum("input"), sum("output"), sum("total")];
  if (input !== undefined) return output === undefined ? words.chat.tokensIn(input) : words.chat.tokensInOut(input, output);
  if (output !== undefined) return words.chat.tokensOut(output);
  return total === undefined ? "" : words.chat.tokens(total);
}
