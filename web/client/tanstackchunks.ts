// A thread's events as a TanStack chat folds them. Its fold differs from AG-UI's in what is said here.

import type { Message } from "@ag-ui/client";
import type { StreamChunk } from "@tanstack/ai/client";
import { openAfter, type WireEvent } from "./frames.js";
import { bound, refusals, type Answers } from "./tanstackinterrupts.js";

const OPENS: Record<string, { kind: "text" | "call" | "thought"; id: string }> = {
  TEXT_MESSAGE_START: { kind: "text", id: "messageId" },
  TOOL_CALL_START: { kind: "call", id: "toolCallId" },
  REASONING_MESSAGE_START: { kind: "thought", id: "messageId" },
};
const ENDS: Record<string, keyof typeof OPENS> = {
  TEXT_MESSAGE_END: "TEXT_MESSAGE_START",
  TOOL_CALL_END: "TOOL_CALL_START",
  REASONING_MESSAGE_END: "REASONING_MESSAGE_START",
};

/** Calls first: what the chat makes up to hold a thought takes the id of the text that follows. */
const AGAIN = ["TOOL_CALL_START", "TEXT_MESSAGE_START", "REASONING_MESSAGE_START"];

export interface ChunkOptions {
  threadId: string;
  /** What the chat calls the run, where that is its own. */
  runId?: string;
  /** The run whose questions this one answers. */
  parentRunId?: () => string | undefined;
  /** The answers that the run's input brings. */
  answers?: Answers;
  /** The tools that the chat carries out. */
  tools?: ReadonlySet<string>;
  /** Messages that no snapshot can have yet. */
  unlogged?: () => Message[];
  /** Somebody else's run: what they said is new to the chat. Called for what only a snapshot can say. */
  retell?: () => void;
}

/** Chunks makes one run's events chunks, from its first event or from a snapshot on. */
export class Chunks {
  private snapshot?: WireEvent;
  private behind: WireEvent[] = [];
  private runId?: string;
  private readonly open = new Map<string, WireEvent>();
  private readonly calls = new Map<string, { name: string; args: string }>();

  constructor(
    private readonly options: ChunkOptions,
    private readonly give: (chunk: StreamChunk) => void,
  ) {}

  next(event: WireEvent): void {
    if (event.type === "MESSAGES_SNAPSHOT") {
      this.flush();
      this.snapshot = event;
      // A restatement comes in one piece: first the snapshot, then what it leaves open.
      queueMicrotask(() => this.flush());
      return;
    }
    const opens = OPENS[event.type];
    if (opens) this.open.set(event.type + String(event[opens.id]), event);
    if (opens && this.snapshot) return;
    if (this.snapshot && (event.type === "STEP_STARTED" || event.type === "SUBAGENT_STARTED" || event.type === "REASONING_START")) {
      this.behind.push(event);
      return;
    }
    this.flush();
    const ended = ENDS[event.type];
    if (ended !== undefined) this.open.delete(ended + String(event[OPENS[ended]!.id]));
    this.say(event);
  }

  /**
   * The chat begins anew with a snapshot, and adds to nothing that it did not see begin: what is open is taken out of the
   * snapshot, and told from its beginning. By itself it does so when something follows, or a moment later.
   */
  flush(): void {
    const { snapshot } = this;
    if (!snapshot) return;
    this.snapshot = undefined;
    let messages = [...((snapshot.messages ?? []) as Message[])];
    const again: WireEvent[] = [];
    for (const type of AGAIN) {
      for (const opener of [...this.open.values()].filter((one) => one.type === type)) {
        const { rest, told } = apart(messages, opener);
        messages = rest;
        again.push(...told);
      }
    }
    const held = new Set(messages.map(({ id }) => id));
    const unlogged = (this.options.unlogged?.() ?? []).filter(({ id }) => !held.has(id));
    // An activity would be an empty bubble.
    this.say({ ...snapshot, messages: [...messages.filter(({ role }) => role !== "activity"), ...unlogged] });
    for (const event of [...this.behind.splice(0), ...again]) this.say(event);
  }

  private say(event: WireEvent): void {
    switch (event.type) {
      case "RUN_STARTED": {
        const runId = (this.runId = this.options.runId ?? String(event.runId));
        const parentRunId = event.parentRunId ?? this.options.parentRunId?.();
        this.out({ ...event, runId, ...(parentRunId !== undefined && parentRunId !== runId && { parentRunId }) });
        this.sayInput(event);
        return;
      }
      case "TOOL_CALL_START":
        this.calls.set(String(event.toolCallId), { name: String(event.toolCallName), args: "" });
        // As AG-UI has it; the chat would make an id up, and say the message as a new one.
        this.out({ ...event, parentMessageId: event.parentMessageId ?? event.toolCallId });
        return;
      case "TOOL_CALL_ARGS": {
        const call = this.calls.get(String(event.toolCallId));
        if (call) call.args += String(event.delta);
        break;
      }
      case "TOOL_CALL_RESULT":
        this.calls.delete(String(event.toolCallId));
        break;
      case "RUN_FINISHED":
        this.finished(event);
        return;
      case "RUN_ERROR": {
        const { answers } = this.options;
        // Without a run's name it would be all runs', and take the questions away.
        const named = { ...event, threadId: this.options.threadId, runId: this.runId ?? this.options.runId };
        if (!answers) this.out(named);
        else this.out({ ...named, metadata: { ...(event.metadata as object), tanstack: { interruptErrors: refusals(event, answers) } } });
        return;
      }
    }
    this.out({ ...event });
  }

  /** The chat reads no messages off a run's input. */
  private sayInput(event: WireEvent): void {
    if (!this.options.retell) return;
    for (const message of (event.input as { messages?: Message[] } | undefined)?.messages ?? []) {
      const { id: messageId, role, content } = message;
      if (role === "tool") {
        this.out({ type: "TOOL_CALL_RESULT", messageId, toolCallId: message.toolCallId, content });
      } else if ((role === "user" || role === "system") && typeof content === "string") {
        this.out({ type: "TEXT_MESSAGE_START", messageId, role });
        this.out({ type: "TEXT_MESSAGE_CONTENT", messageId, delta: content });
        this.out({ type: "TEXT_MESSAGE_END", messageId });
      } else {
        this.options.retell();
        return;
      }
    }
  }

  private finished(event: WireEvent): void {
    const runId = this.options.runId ?? String(event.runId);
    const outcome = event.outcome as { type?: string } | undefined;
    const asked = openAfter(event);
    if (outcome?.type === undefined || outcome.type === "success" || outcome.type === "interrupt") {
      this.carryOut(new Set(asked.map(({ toolCallId }) => toolCallId)));
    }
    const interrupts = { ...outcome, interrupts: bound(asked, runId) };
    this.out({ ...event, runId, ...(outcome?.type === "interrupt" && { outcome: interrupts }) });
  }

  /** The chat carries out what it is told to, not what has no result. */
  private carryOut(askedAbout: ReadonlySet<string | undefined>): void {
    for (const [toolCallId, { name, args }] of this.calls) {
      if (!this.options.tools?.has(name) || askedAbout.has(toolCallId)) continue;
      let input: unknown;
      try {
        input = JSON.parse(args || "{}");
      } catch {
        continue; // what is malformed stays unanswered, as it does with a model's other clients
      }
      this.out({ type: "CUSTOM", name: "tool-input-available", value: { toolCallId, toolName: name, input } });
    }
  }

  private out(chunk: Record<string, unknown>): void {
    this.give(chunk as unknown as StreamChunk);
  }
}

/** The messages without what this event opened, and the events that tell it as far as it has come. */
function apart(messages: Message[], opener: WireEvent): { rest: Message[]; told: WireEvent[] } {
  const owner = opener.subagentRunId === undefined ? {} : { subagentRunId: opener.subagentRunId };
  const id = String(opener[OPENS[opener.type]!.id]);
  const told = (event: Record<string, unknown>): WireEvent[] => [opener, { ...event, ...owner } as WireEvent];
  switch (OPENS[opener.type]!.kind) {
    case "text": {
      const message = messages.find((one) => one.id === id);
      if (typeof message?.content !== "string" || message.content === "") return { rest: messages, told: [opener] };
      const rest = messages.map((one) => (one === message ? ({ ...one, content: "" } as Message) : one));
      return { rest, told: told({ type: "TEXT_MESSAGE_CONTENT", messageId: id, delta: message.content }) };
    }
    case "call": {
      let args = "";
      const rest = messages.map((one) => {
        const call = one.role === "assistant" ? one.toolCalls?.find((each) => each.id === id) : undefined;
        if (one.role !== "assistant" || !call) return one;
        args = call.function.arguments;
        return { ...one, toolCalls: one.toolCalls!.filter((each) => each !== call) };
      });
      return { rest, told: args ? told({ type: "TOOL_CALL_ARGS", toolCallId: id, delta: args }) : [opener] };
    }
    case "thought": {
      const thought = messages.find((one) => one.id === id);
      if (typeof thought?.content !== "string" || thought.content === "") return { rest: messages, told: [opener] };
      const rest = messages.filter((one) => one !== thought);
      return { rest, told: told({ type: "REASONING_MESSAGE_CONTENT", messageId: id, delta: thought.content }) };
    }
  }
}
