import { lazy, type ReactNode, Suspense, useEffect, useLayoutEffect, useRef, useState, type FormEvent, type KeyboardEvent, type RefObject } from "react";
import type { Hello } from "../../../client/frames";
import { pastedFiles, useBrought } from "./brought";
import type { Command } from "./commands";
import { composes } from "../lib/composes";
import { contentOf, mediaIn, saidIn, type Content, type Medium } from "../files/media";
import { Guarded } from "../../../react/lib/Guarded";
import { Icon } from "../../../react/lib/Icon";
import { insteadOf } from "./instead";
import { OrElse } from "../../../react/lib/OrElse";
import { part } from "../../../react/lib/part";
import { keepOwn, ownHere, ownOf } from "../server/own";
import { useSlashMenu } from "./SlashMenu";
import { takenOf } from "../files/takes";
import { words } from "../words";

/** Loaded where an agent takes files, or when one is brought. */
const Files = lazy(() => part(() => import("../files/Files")));

const NO_FILES: readonly Medium[] = [];

interface Props {
  threadId: string;
  /** Says who is written to. */
  label?: ReactNode;
  /** Nothing can be sent; what was typed stays. */
  hidden: boolean;
  /** The run in progress. */
  run?: string;
  /** It is being stopped. */
  stopping: boolean;
  /** What is open. A message cancels it, so that only a button sends one; Enter leads beside it. */
  interrupts: ReadonlyArray<{ id: string; reason: string }>;
  /** What was not sent after all. */
  returned?: Content;
  takeReturned: () => void;
  /** What the server says of itself and of the agent. */
  hello?: Hello;
  send: (content: Content) => void;
  /** Sends for the run in progress to hear at its next step. */
  join: (text: Content) => void;
  /** Begins to change the last message, if it can be. */
  editLast?: () => void;
  stop: (runId: string) => void;
  /** What the agent understands with a slash before it. */
  commands: readonly Command[];
  field: RefObject<HTMLTextAreaElement | null>;
  stopper: RefObject<HTMLButtonElement | null>;
}

/** Where a message is written. It grows with its text, and keeps it for each chat. */
export function Composer({ threadId, label, hidden, run, stopping, interrupts, returned, takeReturned, hello, send, join, editLast, stop, commands, field: box, stopper }: Props) {
  const running = run !== undefined;
  const open = interrupts.map(({ id }) => id).join(" ");
  const asks = open !== "";
  const instead = insteadOf(interrupts.map(({ reason }) => reason));
  const [text, setText] = useState(() => draftOf(threadId));
  useEffect(() => void keepOwn(DRAFT, threadId, text || undefined), [threadId, text]);
  const [files, setFiles] = useState(() => (ownHere.get(threadId) as readonly Medium[] | undefined) ?? NO_FILES);
  useEffect(() => void ownHere.set(threadId, files), [threadId, files]);
  const brought = useBrought(!hidden);
  const [sent, count] = useState(0);
  const empty = text.trim() === "" && files.length === 0;
  const joins = running && !asks && !empty && files.length === 0;
  /** Files matter here, or did, so that what was said of them stays. */
  const matter = useRef(false);
  matter.current ||= takenOf(hello?.capabilities?.multimodal?.input).length > 0 || brought.over || brought.files.length + files.length > 0;
  useEffect(() => {
    if (!hidden) box.current?.focus({ preventScroll: true });
  }, [hidden, box]);
  useEffect(() => {
    // A button that is gone leaves the keyboard nowhere; the next thing to do is here.
    if (!asks && document.activeElement === document.body) box.current?.focus({ preventScroll: true });
  }, [asks, running, box]);
  useEffect(() => {
    if (returned === undefined) return;
    setText((now) => [now, saidIn(returned)].filter(Boolean).join("\n"));
    setFiles((now) => [...now, ...mediaIn(returned)]);
    box.current?.focus();
    takeReturned();
  }, [returned, takeReturned, box]);

  /** The way back from what sends though something is open: Enter leads here, so that once more cancels nothing. */
  const back = useRef<HTMLButtonElement>(null);
  const form = useRef<HTMLFormElement>(null);
  useLayoutEffect(() => {
    const { current } = form;
    if (!current) return;
    // What sticks to the window's end does so above this.
    const measured = new ResizeObserver(() => current.parentElement!.style.setProperty("--composer", `${current.offsetHeight}px`));
    measured.observe(current);
    return () => measured.disconnect();
  }, []);

  const sendBy = (way: (content: Content) => void) => {
    // A file that is being read belongs to what is written.
    if (empty || brought.files.length > 0) return;
    setText("");
    setFiles(NO_FILES);
    count(sent + 1);
    way(contentOf(text.trim(), files));
  };
  /** Enter was pressed while these were open. */
  const [kept, keep] = useState("");
  const submit = (event: FormEvent | KeyboardEvent) => {
    event.preventDefault();
    if (!asks) return sendBy(send);
    if (empty) return;
    keep(open);
  };
  const writeOn = () => {
    keep("");
    box.current?.focus();
  };
  const deciding = asks && kept === open && !empty;
  useEffect(() => {
    if (deciding) back.current?.focus();
  }, [deciding]);
  const slash = useSlashMenu(text, commands, (command) => {
    setText(command);
    box.current?.focus();
  });
  const keyed = (event: KeyboardEvent) => {
    if (!composes(event.nativeEvent) && slash.keyed(event)) return;
    const plain = !event.shiftKey && !event.altKey && !event.ctrlKey && !event.metaKey;
    if (event.key === "ArrowUp" && plain && text === "" && files.length === 0 && !composes(event.nativeEvent) && editLast) {
      editLast();
      return event.preventDefault();
    }
    // An Enter that ends the composition of a character is not one that sends.
    if (event.key !== "Enter" || event.shiftKey || composes(event.nativeEvent)) return;
    // One that is held down may have been meant for what had the focus before.
    if (event.repeat) return event.preventDefault();
    submit(event);
  };
  return (
    <form ref={form} className="composer" hidden={hidden} aria-label={words.chat.newMessage} onSubmit={submit}>
      {slash.menu}
      {label}
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
            onPaste={(event) => {
              const files = pastedFiles(event.clipboardData);
              if (files.length === 0) return;
              event.preventDefault();
              brought.bring(files);
            }}
            {...slash.field}
          />
        </div>
        {hello && matter.current && (
          <OrElse instead={<p className="fault">{words.app.placeNotLoaded}</p>}>
            <Suspense>
              <Files
                hello={hello}
                files={files}
                change={setFiles}
                brought={brought.files}
                bring={brought.bring}
                seen={brought.seen}
                over={brought.over}
                sent={sent}
                field={box}
              />
            </Suspense>
          </OrElse>
        )}
        <div className="actions">
          {running && (
            <Guarded subject={run} fixed>
              <button type="button" ref={stopper} className="round" data-testid="stop" title={words.chat.stopKey} disabled={stopping} onClick={() => stop(run)}>
                <Icon name="stop" />
                <span className="visually-hidden">{stopping ? words.chat.stopping : words.chat.stop}</span>
              </button>
            </Guarded>
          )}
          {asks ? (
            !empty && (
              <>
                {deciding && (
                  <button type="button" ref={back} data-edits data-testid="write-on" onClick={writeOn} onKeyDown={(event) => event.key === "Escape" && writeOn()}>
                    {words.chat.writeOn}
                  </button>
                )}
                <button key="instead" type="button" data-testid="send" onClick={() => sendBy(send)}>
                  {instead.button}
                </button>
              </>
            )
          ) : running && empty ? null : (
            <button key="send" type="submit" className="primary round" data-testid="send" title={words.chat.send} disabled={empty}>
              <Icon name="send" />
              <span className="visually-hidden">{words.chat.send}</span>
            </button>
          )}
        </div>
      </Guarded>
      {deciding && (
        <p className="hint unsent" role="status" data-testid="not-sent">
          {instead.unsent}
        </p>
      )}
      {running && !asks && !empty && (
        <div className="unsent">
          <p className="hint" role="status" data-testid="waits-its-turn">
            {words.chat.waitsItsTurn}
          </p>
          {joins && (
            <button type="button" data-testid="send-now" title={words.chat.heardNext} onClick={() => sendBy(join)}>
              {words.chat.sendNow}
            </button>
          )}
        </div>
      )}
    </form>
  );
}

const DRAFT = "draft";

function draftOf(threadId: string): string {
  const kept = ownOf(DRAFT, threadId);
  return typeof kept === "string" ? kept : "";
}
