import { useEffect, useRef, useState } from "react";
import { Drop } from "../lib/Drop";
import { isTyped, keyActOf, type KeyAct } from "./inboxkeys";
import { inbox } from "../words/inbox";

const DECIDES: ReadonlySet<KeyAct> = new Set(["approve", "decline", "edit"]);

interface Props {
  on: boolean;
  turn: (on: boolean) => void;
  /** Whether a key that goes down there may decide about what is shown: elsewhere it may be meant for something else. */
  decides: (target: EventTarget | null) => boolean;
  act: (act: KeyAct) => void;
  /** Which keys do what is shown. */
  shown: boolean;
  show: (shown: boolean) => void;
}

/** Says on demand which keys do what, and does it, unless that is turned off. */
export function InboxKeys(props: Props) {
  const { on, turn, shown, show } = props;
  const last = useRef(props);
  last.current = props;
  useEffect(() => {
    if (!on) return;
    const keyed = (event: KeyboardEvent) => {
      const wanted = keyActOf(event);
      const { decides, act } = last.current;
      if (!wanted || (DECIDES.has(wanted) && !decides(event.target))) return;
      event.preventDefault();
      act(wanted);
    };
    addEventListener("keydown", keyed);
    return () => removeEventListener("keydown", keyed);
  }, [on]);
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const box = panel.current?.parentElement;
    const before = document.activeElement;
    if (!shown || !box || box.contains(before)) return;
    panel.current!.focus();
    // Whoever asked by the key goes on where that was pressed.
    return () => {
      const { activeElement } = document;
      if (!(activeElement instanceof HTMLElement) || !(activeElement === document.body || box.contains(activeElement))) return;
      activeElement.blur();
      if (before instanceof HTMLElement) before.focus();
    };
  }, [shown]);
  return (
    <Drop
      className="choices keys"
      data-testid="inbox-keys"
      open={shown}
      onToggle={(event) => show(event.currentTarget.open)}
      summary={
        <summary title={inbox.keysShown} aria-label={inbox.keysShown}>
          ?
        </summary>
      }
    >
      <div ref={panel} className="drop-panel" tabIndex={-1}>
        <label className="check">
          <input type="checkbox" role="switch" checked={on} data-testid="inbox-keys-on" onChange={(event) => turn(event.target.checked)} />
          <span>{inbox.shortcuts}</span>
        </label>
        {on &&
          Object.entries(inbox.keys).map(([key, what]) => (
            <span key={key}>
              <kbd>{key}</kbd> {what}
            </span>
          ))}
      </div>
    </Drop>
  );
}

/** Says the way out of a field, in which the keys are letters, for as long as one has the focus. It lies over what is there, and moves nothing. */
export function LeaveHint() {
  const [typing, setTyping] = useState(false);
  useEffect(() => {
    const look = () => setTyping(isTyped(document.activeElement));
    // What loses the focus has it still, until another has got it or none has.
    const left = ({ relatedTarget }: FocusEvent) => relatedTarget === null && setTyping(false);
    addEventListener("focusin", look);
    addEventListener("focusout", left);
    return () => {
      removeEventListener("focusin", look);
      removeEventListener("focusout", left);
    };
  }, []);
  if (!typing) return null;
  return (
    <p className="leave-hint" role="status" data-testid="inbox-leave">
      <kbd>Esc</kbd> {inbox.leavesField}
    </p>
  );
}
