import { useState } from "react";
import type { Act } from "./RunTable";

const REASONS = ["review", "safety", "budget", "maintenance", "other"];

const MINUTES = [5, 60, 24 * 60];

/** Pauses a thread's run, with why and for how long. `act` does it. */
export function PauseControl({ base, disabled, act }: { base: string; disabled: boolean; act: Act }) {
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
        title="The run asks before its next step whether to go on"
        disabled={disabled}
        onClick={() => void act("Pause", "POST", `${base}/pause`, how, outcome)}
      >
        Pause at the next step
      </button>
      <label className="filter">
        <span className="hint">Why</span>
        <select data-testid="pause-reason" disabled={disabled} value={reason} onChange={(event) => setReason(event.target.value)}>
        <option value="">no reason</option>
        {REASONS.map((one) => (
          <option key={one}>{one}</option>
        ))}
        </select>
      </label>
      <label className="filter">
        <span className="hint">For</span>
        <select data-testid="pause-timeout" disabled={disabled} value={after} onChange={(event) => setAfter(event.target.value)}>
        <option value="">until somebody decides</option>
        {MINUTES.flatMap((n) => [
          <option key={`${n} go_on`} value={`${n} go_on`}>{`${span(n)}, then it goes on`}</option>,
          <option key={`${n} cancel`} value={`${n} cancel`}>{`${span(n)}, then it ends`}</option>,
        ])}
        </select>
      </label>
    </>
  );
}

const span = (minutes: number) => (minutes < 60 ? `${minutes} minutes` : minutes === 60 ? "an hour" : "a day");

function outcome({ paused, pending }: Record<string, unknown>): string {
  if (paused) return "the run is paused already";
  return pending ? "the run stops at its next step, if it comes to one" : "no run is under way";
}
