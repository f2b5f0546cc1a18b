import { useEffect, useRef, useState, type KeyboardEvent } from "react";
import { useBack } from "./back";
import { composes } from "../lib/composes";
import { Guarded } from "../../../react/lib/Guarded";
import { words } from "../words";
import { apart } from "../words/apart";

/** The field in which a message is changed. */
export default function Editor({ id, text }: { id: string; text: string }) {
  const { edit, say, held, going } = useBack();
  const [draft, setDraft] = useState(text);
  const [fault, setFault] = useState<string>();
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    field.current?.focus();
    field.current?.setSelectionRange(text.length, text.length);
  }, [text]);
  const empty = draft.trim() === "";
  const submit = () => {
    if (empty || going) return;
    if (held) setFault(held);
    else void say(id, draft.trim()).then(setFault);
  };
  const leave = () => {
    edit(undefined);
    document.querySelector<HTMLElement>("[data-testid=composer]")?.focus({ preventScroll: true });
  };
  const keyed = (event: KeyboardEvent) => {
    if (composes(event.nativeEvent)) return;
    if (event.key === "Escape") {
      event.preventDefault();
      leave();
    } else if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      if (!event.repeat) submit();
    }
  };
  return (
    <form
      className="editing"
      aria-label={apart.changeMessage}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <div className="growing" data-text={draft}>
        <textarea
          ref={field}
          data-testid="edit-field"
          aria-label={apart.theMessage}
          aria-describedby={`edit-${id}`}
          rows={1}
          dir="auto"
          value={draft}
          onChange={(event) => setDraft(event.target.value)}
          onKeyDown={keyed}
        />
      </div>
      <p className="hint" id={`edit-${id}`}>
        {apart.laterTakenOut}
      </p>
      {fault !== undefined && (
        <p className="fault" role="alert" data-testid="edit-fault">
          {fault}
        </p>
      )}
      <Guarded subject={id} className="actions">
        <button type="submit" className="primary" data-testid="edit-send" disabled={empty || going}>
          {going ? words.chat.sending : words.chat.send}
        </button>
        <button type="button" data-edits data-testid="edit-cancel" onClick={leave}>
          {words.chat.cancel}
        </button>
      </Guarded>
    </form>
  );
}
