import { useEffect, useLayoutEffect, useRef, useState, type FormEvent, type KeyboardEvent, type RefObject } from "react";
import type { Command } from "./commands";
import { composes } from "./composes";
import { Guarded } from "../../../react/lib/Guarded";
import { insteadOf } from "./instead";
import { keepOwn, ownOf } from "../server/own";
import { useSlashMenu } from "./SlashMenu";
import { words } from "../words";

interface Props {
  threadId: string;
  /** Nothing can be sent; what was typed stays. */
  hidden: boolean;
  /** The run in progress. */
  run?: string;
  /** It is being stopped. */
  stopping: boolean;
  /** What is open. A message cancels it, so that only a button sends one. */
  interrupts: ReadonlyArray<{ id: string; reason: string }>;
  /** Text that was not sent after all. */
  returned?: string;
  takeReturned: () => void;
  send: (text: string) => void;
  /** Sends for the run in progress to hear at its next step. */
  join: (text: string) => void;
  /** Begins to change the last message; answers whether it can be. */
  editLast: () => boolean;
  stop: (runId: string) => void;
  /** What the agent understands with a slash before it. */
  commands: readonly Command[];
  field: RefObject<HTMLTextAreaElement | null>;
  stopper: RefObject<HTMLButtonElement | null>;
}

/** Where a message is written. It grows with its text, and keeps it for each chat. */
export function Composer({ threadId, hidden, run, stopping, interrupts, returned, takeReturned, send, join, editLast, stop, commands, field: box, stopper }: Props) {
  const running = run !== undefined;
  const open = interrupts.map(({ id }) => id).join(" ");
  const asks = open !== "";
  const instead = insteadOf(interrupts.map(({ reason }) => reason));
  const [text, setText] = useState(() => draftOf(threadId));
  useEffect(() => keepOwn(DRAFT, threadId, text || undefined), [threadId, text]);
  useEffect(() => {
    if (!hidden) box.current?.focus({ preventScroll: true });
  }, [hidden, box]);
  useEffect(() => {
    // A button that is gone leaves the keyboard nowhere; the next thing to do is here.
    if (!asks && document.activeElement === document.body) box.current?.focus({ preventScroll: true });
  }, [asks, running, box]);
  useEffect(() => {
    if (returned === undefined) return;
    setText((now) => [now, returned].filter(Boolean).join("\n"));
    box.current?.focus();
    takeReturned();
  }, [returned, takeReturned, box]);

  const form = useRef<HTMLFormElement>(null);
  useLayoutEffect(() => {
    const { current } = form;
    if (!current) return;
    // What sticks to the window's end does so above this.
    const measured = new ResizeObserver(() => current.parentElement!.style.setProperty("--composer", `${current.offsetHeight}px`));
    measured.observe(current);
    return () => measured.disconnect();
  }, []);

  const sendBy = (way: (text: string) => void) => {
    const trimmed = text.trim();
    if (trimmed === "") return;
    setText("");
    way(trimmed);
  };
  /** Enter was pressed while these were open. */
  const [kept, keep] = useState("");
  const submit = (event: FormEvent | KeyboardEvent) => {
    event.preventDefault();
    if (asks) keep(open);
    else sendBy(send);
  };
  const slash = useSlashMenu(text, commands, (command) => {
    setText(command);
    box.current?.focus();
  });
  const keyed = (event: KeyboardEvent) => {
    if (!composes(event.nativeEvent) && slash.keyed(event)) return;
    const plain = !event.shiftKey && !event.altKey && !event.ctrlKey && !event.metaKey;
    if (event.key === "ArrowUp" && plain && text === "" && !composes(event.nativeEvent) && editLast()) return event.preventDefault();
    // An Enter that ends the composition of a character is not one that sends.
    if (event.key !== "Enter" || event.shiftKey || composes(event.nativeEvent)) return;
    // One that is held down may have been meant for what had the focus before.
    if (event.repeat) return event.preventDefault();
    submit(event);
  };
  return (
    <form ref={form} className="composer" hidden={hidden} aria-label={words.chat.newMessage} onSubmit={submit}>
      {slash.menu}
      <Guarded subject={open} fixed className="writing">
        <div className="growing" data-text={text}>
          <textarea
            ref={box}
            data-submits
            data-testid="composer"
            aria-label={words.chat.message}
            rows={1}
            dir="auto"
            value={text}
            placeholder={asks ? instead.placeholder : running ? words.chat.writeNext : words.chat.write}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={keyed}
            {...slash.field}
          />
        </div>
        <div className="actions">
          {running && (
            <Guarded subject={run} fixed>
              <button type="button" ref={stopper} data-testid="stop" title={words.chat.stopKey} disabled={stopping} onClick={() => stop(run)}>
                {stopping ? words.chat.stopping : words.chat.stop}
              </button>
            </Guarded>
          )}
          {running && !asks && (
            <button
              type="button"
              data-testid="send-now"
              title={words.chat.heardNext}
              disabled={text.trim() === ""}
              onClick={() => sendBy(join)}
            >
              {words.chat.sendNow}
            </button>
          )}
          {asks ? (
            text.trim() !== "" && (
              <button key="instead" type="button" data-testid="send" onClick={() => sendBy(send)}>
                {instead.button}
              </button>
            )
          ) : (
            <button key="send" type="submit" className="primary" data-testid="send" disabled={text.trim() === ""}>
              {words.chat.send}
            </button>
          )}
        </div>
      </Guarded>
      {asks && kept === open && text.trim() !== "" && (
        <p className="hint unsent" role="status" data-testid="not-sent">
          {instead.unsent}
        </p>
      )}
    </form>
  );
}

const DRAFT = "draft";

function draftOf(threadId: string): string {
  const kept = ownOf(DRAFT, threadId);
  return typeof kept === "string" ? kept : "";
}
