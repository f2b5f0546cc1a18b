import { useState } from "react";
import { Guarded } from "../../../react/lib/Guarded";
import { AGES, ageWords, forgotten } from "./forget";
import type { Act } from "./RunTable";

/** Has the server forget runs of a thread, after it was said what is lost. `act` does it. */
export function ForgetRuns({ base, act }: { base: string; act: Act }) {
  const [asking, ask] = useState(false);
  const [age, setAge] = useState("0s");
  const forget = async () => {
    await act("Forget runs", "POST", `${base}/runs/purge`, { olderThan: age }, forgotten);
    ask(false);
  };
  return (
    <Guarded subject={`${base} ${asking} ${age}`} className="confirm">
      {asking ? (
        <>
          <p data-testid="forget-asks">
            <strong>Forget {ageWords(age)}?</strong> Their records are lost: what they came to, their steps, tokens and history. A dead letter among them cannot be requeued any more. An input of theirs that is sent again is taken for a new one. Messages and
            decisions stay, and so do the latest run and those that are under way or wait.
          </p>
          <label className="filter">
            <span className="hint">Which</span>
            <select value={age} data-testid="forget-age" onChange={(event) => setAge(event.target.value)}>
              {AGES.map((one) => (
                <option key={one} value={one}>
                  {ageWords(one)}
                </option>
              ))}
            </select>
          </label>
          <div className="actions">
            <button type="button" data-testid="forget-send" onClick={() => void forget()}>
              Forget them
            </button>
            <button type="button" data-edits data-testid="forget-back" onClick={() => ask(false)}>
              Back
            </button>
          </div>
        </>
      ) : (
        <button type="button" className="quiet" data-edits data-testid="forget" onClick={() => ask(true)}>
          Forget runs…
        </button>
      )}
    </Guarded>
  );
}
