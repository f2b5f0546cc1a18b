import { type FormEvent, type KeyboardEvent, useRef, useState } from "react";
import { call } from "../server/api";
import { words } from "../words";

/** What the server keeps of a title, in bytes. */
const MOST = 60;

interface Props {
  threadId: string;
  title: string;
  /** It is over; `renamed`: it has the other title. */
  done: (renamed: boolean) => void;
  failed: (words: string) => void;
}

/** The title of a chat, written where it stands. Enter keeps it, and so does leaving it; Escape leaves it as it was. */
export function RenameThread({ threadId, title, done, failed }: Props) {
  const [text, setText] = useState(title);
  const over = useRef(false);
  const keep = async (event?: FormEvent) => {
    event?.preventDefault();
    if (over.current) return;
    over.current = true;
    const wanted = text.trim();
    if (wanted === "" || wanted === title) return done(false);
    try {
      await call("PATCH", `/threads/${encodeURIComponent(threadId)}`, { title: wanted });
      done(true);
    } catch (error) {
      failed(error instanceof Error ? error.message : String(error));
      done(false);
    }
  };
  const keyed = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    over.current = true;
    done(false);
  };
  return (
    <form className="rename" onSubmit={(event) => void keep(event)}>
      <input
        value={text}
        aria-label={words.threads.titleOf(title)}
        maxLength={MOST}
        autoComplete="off"
        dir="auto"
        autoFocus
        data-testid="rename"
        onFocus={(event) => event.target.select()}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={keyed}
        onBlur={() => void keep()}
      />
    </form>
  );
}
