import { useEffect, useRef, useState } from "react";
import { pretty } from "../../../react/forms/readjson";
import { Folded } from "../../../react/lib/Folded";
import type { Frame, Tape } from "./tape";
import { words } from "../words";
import { apart } from "../words/apart";

/** What has come meanwhile is looked at this often, in milliseconds. */
const EVERY_MS = 250;

/** The frames that crossed the wire about this thread: control frames, inputs and events. */
export default function Inspector({ tape, threadId, close }: { tape: Tape; threadId: string; close: () => void }) {
  const [frames, setFrames] = useState<Frame[]>([]);
  const [filter, setFilter] = useState("");
  const [said, say] = useState("");
  const field = useRef<HTMLInputElement>(null);
  // Whoever opens it, does so in the menu, and goes on here.
  useEffect(() => field.current?.focus(), []);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      timer = undefined;
      setFrames(tape.frames(threadId));
    };
    look();
    const unwatch = tape.watch(() => (timer ??= setTimeout(look, EVERY_MS)));
    return () => {
      clearTimeout(timer);
      unwatch();
    };
  }, [tape, threadId]);
  const shown = frames.filter((frame) => frame.type.toLowerCase().includes(filter.trim().toLowerCase()));
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(shown.map((frame) => `${frame.sent ? ">" : "<"} ${frame.text}`).join("\n"));
      say(apart.framesCopied(shown.length));
    } catch {
      say(apart.framesNotCopied);
    }
  };
  return (
    <section className="inspector" aria-label={words.chat.inspector} data-testid="inspector">
      <div className="actions">
        <input
          ref={field}
          type="search"
          aria-label={apart.filterByType}
          placeholder={apart.filterHint}
          data-testid="frame-filter"
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
        />
        <span className="hint">{apart.frameCount(shown.length)}</span>
        <span className="spacer" />
        <button type="button" data-testid="copy-frames" disabled={shown.length === 0} onClick={() => void copy()}>
          {words.lib.copy}
        </button>
        <button type="button" data-testid="close-inspector" onClick={close}>
          {apart.close}
        </button>
      </div>
      <p className="hint" role="status" data-testid="copied">
        {said}
      </p>
      <ol className="frames" tabIndex={0} aria-label={apart.frames}>
        {shown.map((frame) => (
          <FrameRow key={frame.id} frame={frame} />
        ))}
      </ol>
    </section>
  );
}

function FrameRow({ frame }: { frame: Frame }) {
  const [open, setOpen] = useState(false);
  return (
    <li data-testid="frame" data-type={frame.type} data-sent={frame.sent}>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <span className="hint">{frame.at}</span> <span aria-hidden="true">{frame.sent ? "↑" : "↓"}</span>
          <span className="visually-hidden">{frame.sent ? apart.sent : apart.received}</span> <code>{frame.type}</code>
        </summary>
        {open && <Folded text={pretty(frame.text)} source={frame.text} hook="frame-text" label={apart.frame} />}
      </details>
    </li>
  );
}
