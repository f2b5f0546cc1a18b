import { useState } from "react";
import type { Act } from "./RunTable";
import { ops } from "../words/ops";

const REASONS = ["review", "safety", "budget", "maintenance", "other"] as const;

const MINUTES = [5, 60, 24 * 60];

/** Pauses a thread's run, with why and for how long. `act` does it, at a path. */
export function PauseControl({ path, act }: { path: string; act: Act }) {
  const [reason, setReason] = useState("");
  const [after, setAfter] = useState("");
  const [minutes, onTimeout] = after.split(" ");
  const how = {
    ...(reason && { reason }),
    ...(after && { timeoutMs: Number(minutes) * 60_000, onTimeout }),
  };
  return (
    <>
      <button
        type="button"
        data-testid="pause"
        title={ops.pauseAbout}
        onClick={() => void act(ops.pause, "POST", path, how, outcome)}
      >
        {ops.pauseNext}
      </button>
      <label className="filter">
        <span className="hint">{ops.why}</span>
        <select data-testid="pause-reason" value={reason} onChange={(event) => setReason(event.target.value)}>
          <option value="">{ops.noReason}</option>
          {REASONS.map((one) => (
            <option key={one} value={one}>
              {ops.pauseReasons[one]}
            </option>
          ))}
        </select>
      </label>
      <label className="filter">
        <span className="hint">{ops.forHow}</span>
        <select data-testid="pause-timeout" value={after} onChange={(event) => setAfter(event.target.value)}>
          <option value="">{ops.untilDecided}</option>
          {MINUTES.flatMap((n) => [
            <option key={`${n} go_on`} value={`${n} go_on`}>{ops.thenGoesOn(span(n))}</option>,
            <option key={`${n} cancel`} value={`${n} cancel`}>{ops.thenEnds(span(n))}</option>,
          ])}
        </select>
      </label>
    </>
  );
}

const span = (minutes: number) => (minutes < 60 ? ops.minutes(minutes) : minutes === 60 ? ops.anHour : ops.aDay);

function outcome({ paused, pending }: Record<string, unknown>): string {
  if (paused) return ops.pausedAlready;
  return pending ? ops.stopsNext : ops.noRun;
}
