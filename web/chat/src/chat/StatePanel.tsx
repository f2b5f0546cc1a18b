import { Folded } from "../../../react/lib/Folded";
import { isExact, stringify } from "../../../react/lib/json";

/** The state the agent shares, when there is any. */
export function StatePanel({ state }: { state: unknown }) {
  const empty = state === undefined || state === null || (typeof state === "object" && !isExact(state) && Object.keys(state).length === 0);
  if (empty) return null;
  return (
    <aside className="state" aria-label="Shared state">
      <details data-testid="state-panel" open>
        <summary>Shared state</summary>
        <Folded text={stringify(state, 2)} hook="state" label="State" />
      </details>
    </aside>
  );
}
