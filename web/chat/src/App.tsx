import { useEffect, useRef } from "react";
import { useChat } from "./chat";
import { Composer } from "./Composer";
import { EmptyChat } from "./EmptyChat";
import { ErrorNotice } from "./ErrorNotice";
import { Interrupts } from "./Interrupts";
import { MessageList } from "./MessageList";
import { StatePanel } from "./StatePanel";
import { StatusChip } from "./StatusChip";
import { useThreadId } from "./thread";
import { whyRestated } from "./words";

export function App() {
  const [threadId, begin] = useThreadId();
  return <ChatPage key={threadId} threadId={threadId} begin={begin} />;
}

function ChatPage({ threadId, begin }: { threadId: string; begin: () => void }) {
  const [chat, picture] = useChat(threadId);
  const { state, status, notice } = picture;
  // What waits is shown as waiting until its run begins, in whichever place the agent holds it.
  const waiting = new Set(status.queued.flatMap((input) => (input.messages ?? []).map((message) => message.id)));
  const messages = picture.messages.filter((message) => !waiting.has(message.id));
  const running = status.activeRunId !== undefined;
  const empty = messages.length === 0 && status.queued.length === 0 && !running;
  const restated = whyRestated(status.restated);
  useStickToEnd();
  return (
    <div className="page">
      <header className="bar">
        <h1>aguiws</h1>
        <StatusChip status={status} />
        <span className="spacer" />
        <button type="button" data-testid="new-chat" onClick={begin}>
          New chat
        </button>
      </header>
      {status.hello?.durable === false && (
        <p className="banner" role="status" data-testid="durable-banner">
          Questions asked here end with the server's process: its store is in memory. Start it with{" "}
          <code>--redis URL</code> to keep them.
        </p>
      )}
      <main>
        {empty && status.synced && <EmptyChat send={(text) => void chat.send(text)} />}
        {empty && !status.synced && <p className="hint center">Loading the conversation…</p>}
        <MessageList messages={messages} interrupts={status.interrupts} running={running} />
        <Interrupts
          open={status.interrupts}
          messages={messages}
          sending={picture.answering}
          answer={(entries) => void chat.answer(entries)}
        />
        {status.queued.map((input) => (
          <div key={input.runId} className="queued" data-testid="queued" data-run-id={input.runId}>
            <span className="tag">Waiting</span>
            <span className="text">{(input.messages ?? []).map(textOf).join("\n") || "an answer"}</span>
            <button type="button" className="quiet" onClick={() => chat.stop(input.runId)}>
              Remove
            </button>
          </div>
        ))}
        {restated && (
          <p className="hint center" data-testid="restated">
            The conversation was loaded anew: {restated}.
          </p>
        )}
        {(notice ?? status.failure) && <ErrorNotice failure={(notice ?? status.failure)!} dismiss={() => chat.dismiss()} />}
      </main>
      <StatePanel state={state} />
      <Composer
        running={running}
        openQuestions={status.interrupts.length}
        returned={picture.returned}
        takeReturned={() => chat.takeReturned()}
        send={(text) => void chat.send(text)}
        stop={() => chat.stop()}
      />
    </div>
  );
}

function textOf(message: { content?: unknown }): string {
  return typeof message.content === "string" ? message.content : "";
}

/** How close to the end counts as reading the end, in pixels. */
const NEAR_END = 120;

/** Keeps the end in sight while the reader is there, and leaves a reader of older text alone. */
function useStickToEnd(): void {
  const follow = useRef(true);
  useEffect(() => {
    const scrolled = () => {
      const { scrollHeight, scrollTop, clientHeight } = document.documentElement;
      follow.current = scrollHeight - scrollTop - clientHeight < NEAR_END;
    };
    addEventListener("scroll", scrolled, { passive: true });
    return () => removeEventListener("scroll", scrolled);
  }, []);
  useEffect(() => {
    if (follow.current) scrollTo({ top: document.documentElement.scrollHeight });
  });
}
