import { Folded } from "../../../react/lib/Folded";
import { isExact, stringify } from "../../../react/lib/json";
import { words } from "../words";

/** The state the agent shares, when there is any. */
export function StatePanel({ state }: { state: unknown }) {
  const empty = state === undefined || state === null || (typeof state === "object" && !isExact(state) && Object.keys(state).length === 0);
  if (empty) return null;
  return (
    <aside className="state" aria-label={words.chat.sharedState}>
      <details data-testid="state-panel">
        <summary>{words.chat.sharedState}</summary>
        <Folded text={stringify(state, 2)} hook="state" label={words.chat.state} />
      </details>
    </aside>
  );
}
