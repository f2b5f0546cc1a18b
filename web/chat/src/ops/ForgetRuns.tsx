import { useState } from "react";
import { Guarded } from "../../../react/lib/Guarded";
import { AGES, ageWords, forgotten, type Age } from "./forget";
import type { Act } from "./RunTable";
import { ops } from "../words/ops";

/** Has the server forget runs of a thread, after it was said what is lost. `act` does it. */
export function ForgetRuns({ base, act }: { base: string; act: Act }) {
  const [asking, ask] = useState(false);
  const [age, setAge] = useState<Age>("0s");
  const forget = async () => {
    await act(ops.forgetRuns, "POST", `${base}/runs/purge`, { olderThan: age }, forgotten);
    ask(false);
  };
  return (
    <Guarded subject={`${base} ${asking} ${age}`} className="confirm">
      {asking ? (
        <>
          <p data-testid="forget-asks">
            <strong>{ops.forgetAsks(ageWords(age))}</strong> {ops.forgetAbout}
          </p>
          <label className="filter">
            <span className="hint">{ops.which}</span>
            <select value={age} data-testid="forget-age" onChange={(event) => setAge(event.target.value as Age)}>
              {AGES.map((one) => (
                <option key={one} value={one}>
                  {ageWords(one)}
                </option>
              ))}
            </select>
          </label>
          <div className="actions">
            <button type="button" data-testid="forget-send" onClick={() => void forget()}>
              {ops.forgetThem}
            </button>
            <button type="button" data-edits data-testid="forget-back" onClick={() => ask(false)}>
              {ops.back}
            </button>
          </div>
        </>
      ) : (
        <button type="button" data-edits data-testid="forget" onClick={() => ask(true)}>
          {ops.forgetRunsMore}
        </button>
      )}
    </Guarded>
  );
}
