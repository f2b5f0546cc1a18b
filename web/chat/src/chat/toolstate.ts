// What has become of a tool call.

import type { ToolMessage } from "@ag-ui/client";
import { parse } from "../../../react/lib/json";
import { textOf } from "./messagetext";
import { isObject } from "../../../react/forms/schema";
import { refusedBy, verdictOf, type Badge, type Told, type Tone } from "../decision/told";
import { words } from "../words";

/** `asked`: whether it is carried out. `open`: the run has ended, and nothing says what became of the call. */
export type ToolState = "working" | "asked" | "waiting" | "done" | "failed" | "declined" | "cancelled" | "expired" | "open";

interface Call {
  /** Whether it is carried out is asked. */
  asked: boolean;
  /** It goes on when something else has been answered. */
  waiting?: boolean;
  /** The run that made it, or goes on with it, is in progress. */
  running: boolean;
  result?: ToolMessage;
  told?: Told;
}

/** A decision says what was decided, and a result what came of it; where nobody has told of decisions, the result says both. */
export function toolStateOf({ asked, waiting, running, result, told }: Call): ToolState {
  if (asked) return "asked";
  const refused = told && refusedBy(told);
  if (refused) return refused;
  const came = result && (saidIn(result) ?? "done");
  if (told?.status === "expired") return came === "done" || came === "failed" ? came : "expired";
  if (came) return came;
  return waiting ? "waiting" : running ? "working" : "open";
}

/** What a result says of a call that was not carried out. */
function saidIn(result: ToolMessage): ToolState | undefined {
  if (result.error !== undefined) return "failed";
  let said: unknown;
  try {
    const text = textOf(result.content);
    said = text.startsWith("{") ? parse(text) : undefined;
  } catch {
    return undefined;
  }
  if (!isObject(said) || said.executed !== false) return undefined;
  if (said.declined === true || said.denied === true) return "declined";
  if (said.expired === true) return "expired";
  return "failed";
}

const TONES: Record<ToolState, Tone> = { working: "busy", asked: "asked", waiting: "asked", done: "done", failed: "late", declined: "", cancelled: "", expired: "late", open: "" };

const badgeOf = (state: ToolState): Badge => ({ words: words.chat.states[state], tone: TONES[state] });

/** What is said of a call: what was decided, and, where it was not simply done then, how far it has come. */
export function badgesOf(state: ToolState, told: Told | undefined): Badge[] {
  if (!told || state === "asked") return [badgeOf(state)];
  const verdict = verdictOf(told, true);
  if (told.status === "resolved" && (told.approved === false || state === "done")) return [verdict];
  return state === told.status ? [verdict] : [verdict, badgeOf(state)];
}
