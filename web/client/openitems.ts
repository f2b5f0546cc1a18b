// What a run has opened and not closed yet, read off its events. The shared pipeline of @ag-ui/client refuses a
// second opening, an end without an opening and a run that ends with anything open, so whoever splices a
// restatement into an open pipeline has to know.

import type { WireEvent } from "./frames.js";

/** Closing order: what a run requires to be closed first comes first, subagents last. */
const KINDS = ["reasoningMessage", "reasoning", "toolCall", "text", "step", "subagent"] as const;
type Kind = (typeof KINDS)[number];

interface Rule {
  kind: Kind;
  role: "open" | "close";
}

const RULES: Record<string, Rule> = {
  SUBAGENT_STARTED: { kind: "subagent", role: "open" },
  SUBAGENT_FINISHED: { kind: "subagent", role: "close" },
  SUBAGENT_ERROR: { kind: "subagent", role: "close" },
  STEP_STARTED: { kind: "step", role: "open" },
  STEP_FINISHED: { kind: "step", role: "close" },
  TEXT_MESSAGE_START: { kind: "text", role: "open" },
  TEXT_MESSAGE_END: { kind: "text", role: "close" },
  TOOL_CALL_START: { kind: "toolCall", role: "open" },
  TOOL_CALL_END: { kind: "toolCall", role: "close" },
  REASONING_START: { kind: "reasoning", role: "open" },
  REASONING_END: { kind: "reasoning", role: "close" },
  REASONING_MESSAGE_START: { kind: "reasoningMessage", role: "open" },
  REASONING_MESSAGE_END: { kind: "reasoningMessage", role: "close" },
};

/** Names an item inside its kind. Step names are unique per owner only. */
function identity(kind: Kind, event: WireEvent): string {
  switch (kind) {
    case "subagent":
      return String(event.subagentRunId);
    case "step":
      return JSON.stringify([event.subagentRunId ?? null, event.stepName]);
    case "toolCall":
      return String(event.toolCallId);
    default:
      return String(event.messageId);
  }
}

/** The event that closes what `opener` opened, with the opener's owner. */
function closing(kind: Kind, opener: WireEvent): WireEvent {
  const owner = opener.subagentRunId === undefined ? {} : { subagentRunId: opener.subagentRunId };
  switch (kind) {
    case "subagent":
      return { type: "SUBAGENT_FINISHED", subagentRunId: opener.subagentRunId } as WireEvent;
    case "step":
      return { type: "STEP_FINISHED", stepName: opener.stepName, ...owner } as WireEvent;
    case "toolCall":
      return { type: "TOOL_CALL_END", toolCallId: opener.toolCallId, ...owner } as WireEvent;
    case "text":
      return { type: "TEXT_MESSAGE_END", messageId: opener.messageId, ...owner } as WireEvent;
    case "reasoning":
      return { type: "REASONING_END", messageId: opener.messageId, ...owner } as WireEvent;
    case "reasoningMessage":
      return { type: "REASONING_MESSAGE_END", messageId: opener.messageId, ...owner } as WireEvent;
  }
}

export class OpenItems {
  private readonly open = new Map<Kind, Map<string, WireEvent>>(KINDS.map((kind) => [kind, new Map()]));
  private readonly endedSubagents = new Set<string>();

  /** Takes notice of an event that is being delivered. */
  fold(event: WireEvent): void {
    if (event.type === "RUN_STARTED") {
      for (const items of this.open.values()) items.clear();
      this.endedSubagents.clear();
      return;
    }
    const rule = RULES[event.type];
    if (!rule) return;
    const items = this.open.get(rule.kind)!;
    const id = identity(rule.kind, event);
    if (rule.role === "open") {
      items.set(id, event);
      return;
    }
    items.delete(id);
    if (rule.kind === "subagent") this.endedSubagents.add(id);
  }

  /** Whether this event opens something at all. */
  static opens(event: WireEvent): boolean {
    return RULES[event.type]?.role === "open";
  }

  /** Whether what this event opens is open already. */
  has(event: WireEvent): boolean {
    const rule = RULES[event.type];
    return rule !== undefined && this.open.get(rule.kind)!.has(identity(rule.kind, event));
  }

  /** Whether this event belongs to a subagent's life that this pipeline has seen the end of. */
  concernsEndedSubagent(event: WireEvent): boolean {
    return RULES[event.type]?.kind === "subagent" && this.endedSubagents.has(String(event.subagentRunId));
  }

  /** The events that close everything not opened by one of `stillOpen`, innermost first. */
  closingsExcept(stillOpen: WireEvent[]): WireEvent[] {
    const keep = new OpenItems();
    for (const event of stillOpen) keep.fold(event);
    const closings: WireEvent[] = [];
    for (const kind of KINDS) {
      // Children were opened after their parents.
      for (const opener of [...this.open.get(kind)!.values()].reverse()) {
        if (!keep.has(opener)) closings.push(closing(kind, opener));
      }
    }
    return closings;
  }
}
