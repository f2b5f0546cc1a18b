import type { Interrupt } from "@ag-ui/client";
import { agent, answer, choicesOf, send, stop } from "./page";
import { useThread } from "./usethread";
import { useState, type FormEvent } from "react";

export default function Chat() {
  const { messages, pendingInterrupts, isRunning, status } = useThread();
  const [chosen, setChosen] = useState(new Map<string, unknown>());
  const [failure, setFailure] = useState("");
  const tell = (work: Promise<unknown>) => work.then(() => setFailure(""), (error: Error) => setFailure(error.message));
  const choose = (id: string, payload?: unknown) => {
    const all = new Map(chosen).set(id, payload);
    setChosen(all);
    if (pendingInterrupts.every((question) => all.has(question.id))) tell(answer(all));
  };
  const callOf = ({ toolCallId }: Interrupt) =>
    messages.flatMap((message) => (message.role === "assistant" && message.toolCalls) || []).find(({ id }) => id === toolCallId)?.function;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const input = event.currentTarget.elements.namedItem("text") as HTMLInputElement, text = input.value;
    input.value = "";
    tell(send(text).catch((error) => { input.value ||= text; throw error; }));
  };
  return (
    <>
      {messages.map((message) => <p key={message.id}>{typeof message.content === "string" && message.content}</p>)}
      {pendingInterrupts.map((question) => (
        <p key={question.id}>
          {question.message} {callOf(question)?.name} {callOf(question)?.arguments}
          {choicesOf(question).map(({ label, payload }) => <button key={label} onClick={() => choose(question.id, payload)}>{label}</button>)}
          {chosen.has(question.id) && "✓"}
        </p>
      ))}
      {pendingInterrupts.length > 0 && <button onClick={() => tell(answer(new Map()))}>Cancel</button>}
      {status.connection !== "connected" && <p role="status">Connection: {status.connection}</p>}
      {status.connection === "failed" && <button onClick={() => agent.connection.retry()}>Try again</button>}
      {failure && <p role="alert">{failure}</p>}
      <form onSubmit={submit}><input name="text" disabled={isRunning || pendingInterrupts.length > 0} /></form>
      {isRunning && <button onClick={stop}>Stop</button>}
    </>
  );
}
