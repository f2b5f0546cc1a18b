import type { Interrupt, Message, ToolMessage } from "@ag-ui/client";
import { memo } from "react";
import { ToolCard, type ToolState } from "./ToolCard";

interface Props {
  messages: readonly Message[];
  interrupts: readonly Interrupt[];
  running: boolean;
}

/** The conversation. Results of known tool calls are shown in the calls' cards. */
export function MessageList({ messages, interrupts, running }: Props) {
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
          return (
            <li key={message.id} className={`message ${message.role}`} data-testid="message" data-role={message.role} data-message-id={message.id}>
              <Body message={message} />
              {message.role === "assistant" &&
                message.toolCalls?.map((call) => (
                  <ToolCard key={call.id} call={call} state={stateOf(call.id, index)} result={results.get(call.id)} />
                ))}
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

const Body = memo(function Body({ message }: { message: Message }) {
  if (message.role === "reasoning") {
    return (
      <details className="reasoning">
        <summary>Reasoning</summary>
        <p className="text">{message.content}</p>
      </details>
    );
  }
  if (message.role === "activity") {
    return (
      <details className="reasoning">
        <summary>{message.activityType}</summary>
        <pre>{JSON.stringify(message.content, null, 2)}</pre>
      </details>
    );
  }
  const text = textOf(message.content);
  return text === "" ? null : <p className="text">{text}</p>;
});

/** Text as text; parts that are no text are named. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((part: { type?: string; text?: string }) => (part.type === "text" ? (part.text ?? "") : `[${part.type ?? "part"}]`))
    .join("\n");
}
