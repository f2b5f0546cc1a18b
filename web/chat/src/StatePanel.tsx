/** The state the agent shares, when there is any. */
export function StatePanel({ state }: { state: unknown }) {
  const empty = state === undefined || state === null || (typeof state === "object" && Object.keys(state).length === 0);
  if (empty) return null;
  return (
    <aside className="state" aria-label="Shared state">
      <details data-testid="state-panel" open>
        <summary>Shared state</summary>
        <pre tabIndex={0}>{JSON.stringify(state, null, 2)}</pre>
      </details>
    </aside>
  );
}
