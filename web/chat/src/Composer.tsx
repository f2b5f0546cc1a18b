import { useEffect, useRef, useState, type FormEvent, type KeyboardEvent } from "react";

interface Props {
  /** Nothing can be sent; what was typed stays. */
  hidden: boolean;
  /** The run in progress. */
  run?: string;
  openQuestions: number;
  /** Text that could not be sent. */
  returned?: string;
  takeReturned: () => void;
  send: (text: string) => void;
  stop: () => void;
}

export function Composer({ hidden, run, openQuestions, returned, takeReturned, send, stop }: Props) {
  const running = run !== undefined;
  const [text, setText] = useState("");
  const [stopping, setStopping] = useState<string>();
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (!hidden) box.current?.focus();
  }, [hidden]);
  useEffect(() => {
    // A button that is gone leaves the keyboard nowhere; the next thing to do is here.
    if (openQuestions === 0 && document.activeElement === document.body) box.current?.focus();
  }, [openQuestions, running]);
  useEffect(() => {
    if (returned === undefined) return;
    setText((now) => now || returned);
    takeReturned();
  }, [returned, takeReturned]);

  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    const trimmed = text.trim();
    if (trimmed === "") return;
    setText("");
    send(trimmed);
  };
  const keyed = (event: KeyboardEvent) => {
    // An Enter that ends the composition of a character is not one that sends.
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    submit(event as unknown as FormEvent);
  };
  const asks = openQuestions > 0;
  return (
    <form className="composer" hidden={hidden} aria-label="New message" onSubmit={submit}>
      <textarea
        ref={box}
        data-testid="composer"
        aria-label="Message"
        rows={Math.min(8, text.split("\n").length)}
        value={text}
        placeholder={asks ? "Or write something else" : running ? "Write the next message" : "Write a message"}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={keyed}
      />
      <div className="actions">
        {running && (
          <button
            type="button"
            data-testid="stop"
            disabled={stopping === run}
            onClick={() => {
              setStopping(run);
              stop();
            }}
          >
            {stopping === run ? "Stopping…" : "Stop"}
          </button>
        )}
        <button type="submit" className="primary" data-testid="send" disabled={text.trim() === ""}>
          {asks ? "Cancel questions and send" : "Send"}
        </button>
      </div>
    </form>
  );
}
