import type { Interrupt, Message, ToolMessage } from "@ag-ui/client";
import { lazy, memo, Suspense, useDeferredValue } from "react";
import { Folded, Paragraph } from "./Folded";
import { stringify } from "./json";
import { textOf } from "./messagetext";
import { OrElse } from "./OrElse";
import { part } from "./part";
import { ToolCard, type ToolState } from "./ToolCard";

/** Loaded with the first answer. */
const Markdown = lazy(() => part(() => import("./Markdown")));

interface Props {
  messages: readonly Message[];
  interrupts: readonly Interrupt[];
  running: boolean;
  /** What subagents are called, by their ids. */
  subagents: ReadonlyMap<string, string>;
  /** What runs have used, by the message that they ended behind. */
  used?: ReadonlyMap<string, string>;
}

/** The conversation. Results of known tool calls are shown in the calls' cards. */
export function MessageList({ messages, interrupts, running, subagents, used }: Props) {
  const results = new Map<string, ToolMessage>();
  const calls = new Set<string>();
  for (const message of messages) {
    if (message.role === "tool") results.set(message.toolCallId, message);
    if (message.role === "assistant") message.toolCalls?.forEach((call) => calls.add(call.id));
  }
  const asked = new Set(interrupts.map((interrupt) => interrupt.toolCallId));
  const lastQuestion = messages.findLastIndex((message) => message.role === "user");
  const stateOf = (id: string, index: number): ToolState => {
    if (results.has(id)) return "done";
    if (asked.has(id)) return "asked";
    return running && index > lastQuestion ? "working" : "open";
  };
  return (
    <div role="log" aria-label="Conversation">
      <ol className="messages">
        {messages.map((message, index) => {
          if (message.role === "tool" && calls.has(message.toolCallId)) return null;
          if (message.role === "system" || message.role === "developer") return null;
          const by = (message as { subagentRunId?: string }).subagentRunId;
          return (
            <li
              key={message.id}
              className={`message ${message.role}${by === undefined ? "" : " delegated"}`}
              data-testid="message"
              data-role={message.role}
              data-message-id={message.id}
            >
              {by !== undefined && (
                <span className="by" data-testid="subagent">
                  {subagents.get(by) ?? (message as { name?: string }).name ?? "Subagent"}
                </span>
              )}
              <Body message={message} growing={running && index > lastQuestion} />
              {message.role === "assistant" &&
                message.toolCalls?.map((call) => (
                  <ToolCard key={call.id} call={call} state={stateOf(call.id, index)} result={results.get(call.id)} />
                ))}
              {used?.has(message.id) && (
                <p className="hint" data-testid="used">
                  {used.get(message.id)}
                </p>
              )}
            </li>
          );
        })}
        {running && (
          <li className="working" data-testid="working">
            <span className="visually-hidden">The agent is working</span>
            <i aria-hidden="true" />
            <i aria-hidden="true" />
            <i aria-hidden="true" />
          </li>
        )}
      </ol>
    </div>
  );
}

const Body = memo(function Body({ message, growing }: { message: Message; growing: boolean }) {
  if (message.role === "reasoning") {
    return (
      <details className="reasoning" data-testid="reasoning">
        <summary>{growing ? "Thinking…" : "Reasoning"}</summary>
        <p className="text">{message.content}</p>
      </details>
    );
  }
  if (message.role === "activity") {
    return (
      <details className="reasoning" data-testid="activity" open>
        <summary>{message.activityType}</summary>
        <Folded text={stringify(message.content, 2)} hook="activity-content" label="Activity" />
      </details>
    );
  }
  const text = textOf(message.content);
  if (text === "") return null;
  return message.role === "assistant" ? <Answer text={text} growing={growing} /> : <Paragraph text={text} label="Message" />;
});

function Answer({ text, growing }: { text: string; growing: boolean }) {
  // A long text takes longer to read than a frame lasts: what is typed elsewhere goes first.
  const shown = useDeferredValue(text);
  const plain = <p className="text">{text}</p>;
  return (
    <OrElse instead={plain}>
      <Suspense fallback={plain}>
        <Markdown text={growing ? shown : text} growing={growing} />
      </Suspense>
    </OrElse>
  );
}
