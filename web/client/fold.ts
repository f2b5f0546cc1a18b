// The reducer of @ag-ui/client copies every message that it holds at every event, so that a word would cost what all messages
// do. It is given those that an event may touch, and what it makes of them goes to their places among all.

import type { AgentStateMutation, AgentSubscriber, Message } from "@ag-ui/client";

/** A part of all messages: their places, in order, and the place that one more would have. */
interface Part {
  places: number[];
  next: number;
}

/** What a method of a subscriber is called with, as far as it matters here. */
type Told = { messages?: Message[] };

type Named = { type: string; messageId?: string; toolCallId?: string; parentMessageId?: string; entityId?: string; subtype?: string; input?: { messages?: Message[] } };

/** Events that touch no message of their own accord. */
const BESIDE = new Set([
  "STATE_SNAPSHOT", "STATE_DELTA", "STEP_STARTED", "STEP_FINISHED", "RAW", "CUSTOM", "RUN_FINISHED", "RUN_ERROR", "REASONING_START", "REASONING_END",
  "SUBAGENT_STARTED", "SUBAGENT_FINISHED", "SUBAGENT_ERROR",
]);

/** One reducer's part in a run: what it holds, and all messages of which that is a part. */
export class Fold {
  private all: readonly Message[];
  /** What the reducer holds; undefined: all. */
  private part?: Part;

  /** `messages` is what the reducer begins with. */
  constructor(messages: readonly Message[]) {
    this.all = [...messages];
  }

  /** Comes before every other subscriber. */
  readonly first: AgentSubscriber = {
    onEvent: ({ event }) => {
      const named = event as unknown as Named;
      if (BESIDE.has(named.type)) return undefined;
      const part = partOf(named, this.all);
      if (isSame(part, this.part)) return undefined;
      this.part = part;
      return { messages: part ? part.places.map((place) => this.all[place]!) : [...this.all] };
    },
  };

  /** A subscriber that is told all messages, whatever the reducer holds, and may put others in their place. */
  telling(subscriber: AgentSubscriber): AgentSubscriber {
    return new Proxy(subscriber, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name, target);
        return typeof method === "function" ? (params: Told) => this.tell((told) => method.call(target, told), params) : method;
      },
    });
  }

  /** What the reducer tells, as it is among all. */
  whole(mutation: AgentStateMutation): AgentStateMutation {
    const { messages } = mutation;
    if (!messages) return mutation;
    this.all = this.part ? spliced(this.all, this.part, messages) : messages;
    this.part &&= grown(this.part, messages.length);
    // The list is the application's from here on.
    return { ...mutation, messages: [...this.all] };
  }

  private tell(subscriber: (params: Told) => unknown, params: Told): unknown {
    const { all, part } = this;
    const held = params?.messages;
    if (!part || !held) return subscriber(params);
    let told: Message[] | undefined;
    const heard = (answer: unknown) => {
      const mutation = answer as AgentStateMutation | undefined;
      if (!mutation?.messages) return answer;
      if (mutation.messages === told) return { ...mutation, messages: held };
      this.part = undefined;
      return answer;
    };
    // Few of them look.
    const answer = subscriber(Object.defineProperty({ ...params }, "messages", { enumerable: true, get: () => (told ??= spliced(all, part, held)) }));
    return answer instanceof Promise ? answer.then(heard) : heard(answer);
  }
}

/** The messages that an event may touch; undefined where it may be any. */
function partOf(event: Named, all: readonly Message[]): Part | undefined {
  const { messageId, toolCallId, parentMessageId, entityId } = event;
  const withId = (id: string | undefined) => (id === undefined ? -1 : all.findIndex((message) => message.id === id));
  const withCall = (id: string | undefined) => (id === undefined ? -1 : all.findIndex((message) => message.role === "assistant" && message.toolCalls?.some((call) => call.id === id)));
  const among = (...places: number[]): Part => ({ places: [...new Set(places.filter((place) => place >= 0))].sort((a, b) => a - b), next: all.length });
  switch (event.type) {
    case "RUN_STARTED":
      return among(...(event.input?.messages ?? []).map(({ id }) => withId(id)));
    case "TEXT_MESSAGE_START":
    case "TEXT_MESSAGE_CONTENT":
    case "TEXT_MESSAGE_END":
    case "REASONING_MESSAGE_START":
    case "REASONING_MESSAGE_CONTENT":
    case "REASONING_MESSAGE_END":
    case "ACTIVITY_SNAPSHOT":
    case "ACTIVITY_DELTA":
      return among(withId(messageId));
    case "TOOL_CALL_START":
      return among(withCall(toolCallId), withId(parentMessageId), withId(toolCallId));
    case "TOOL_CALL_ARGS":
    case "TOOL_CALL_END":
      return among(withCall(toolCallId));
    case "TOOL_CALL_RESULT": {
      // It comes behind the results that stand behind its call.
      const owner = withCall(toolCallId);
      if (owner < 0) return among();
      let next = owner + 1;
      while (all[next]?.role === "tool") next++;
      return { places: Array.from({ length: next - owner }, (_, i) => owner + i), next };
    }
    case "REASONING_ENCRYPTED_VALUE":
      return among(event.subtype === "tool-call" ? withCall(entityId) : withId(entityId));
  }
  return undefined;
}

function isSame(one: Part | undefined, other: Part | undefined): boolean {
  if (!one || !other) return one === other;
  return one.next === other.next && one.places.length === other.places.length && one.places.every((place, i) => place === other.places[i]);
}

/** All messages with these in the places of the part, and what is more of them at its end. */
function spliced(all: readonly Message[], { places, next }: Part, messages: readonly Message[]): Message[] {
  const made = [...all];
  for (const [i, place] of places.entries()) made[place] = messages[i]!;
  made.splice(next, 0, ...messages.slice(places.length));
  return made;
}

/** The part with the messages that have come behind its own. */
function grown({ places, next }: Part, length: number): Part {
  const more = Array.from({ length: length - places.length }, (_, i) => next + i);
  return { places: [...places, ...more], next: next + more.length };
}
