import { useEffect, useRef, useState } from "react";
import { keyActOf, keysOn, turnKeys, type KeyAct } from "./inboxkeys";

const HELP: Array<[key: string, what: string]> = [["j", "next"], ["k", "previous"], ["a", "approve"], ["d", "decline"], ["e", "edit"]];

/** Says which keys do what, and does it, unless that is turned off. */
export function InboxKeys({ act }: { act: (act: KeyAct) => void }) {
  const [on, setOn] = useState(keysOn);
  const last = useRef(act);
  last.current = act;
  useEffect(() => {
    if (!on) return;
    const keyed = (event: KeyboardEvent) => {
      const wanted = keyActOf(event);
      if (!wanted) return;
      event.preventDefault();
      last.current(wanted);
    };
    addEventListener("keydown", keyed);
    return () => removeEventListener("keydown", keyed);
  }, [on]);
  return (
    <div className="inbox-keys hint" data-testid="inbox-keys">
      <label className="check">
        <input
          type="checkbox"
          role="switch"
          checked={on}
          data-testid="inbox-keys-on"
          onChange={(event) => {
            setOn(event.target.checked);
            turnKeys(event.target.checked);
          }}
        />
        <span>Keys</span>
      </label>
      {on &&
        HELP.map(([key, what]) => (
          <span key={key}>
            <kbd>{key}</kbd> {what}
          </span>
        ))}
    </div>
  );
}
