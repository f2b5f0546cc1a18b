import type { Position, ThreadStatus } from "../../../client";

const WORDS: Record<ThreadStatus["connection"], string> = {
  idle: "Not connected",
  connecting: "Connecting",
  connected: "Connected",
  reconnecting: "Reconnecting",
  failed: "Disconnected",
};

const isStoreAway = (status: ThreadStatus) => status.connection === "connected" && !status.storeAvailable;

/** The connection in a word. It is seen while something is wrong with it, and is otherwise told to readers of the screen alone. */
export function StatusChip({ status }: { status: ThreadStatus }) {
  const storeAway = isStoreAway(status);
  const running = status.connection === "connected" && status.activeRunId !== undefined;
  const calm = !storeAway && (status.connection === "connected" || status.connection === "connecting" || status.connection === "idle");
  return (
    <span
      className={calm ? "visually-hidden" : "chip"}
      role="status"
      data-testid="status"
      data-state={status.connection}
      data-running={running}
      data-store={storeAway ? "away" : undefined}
    >
      <span className="dot" aria-hidden="true" />
      <span className="words">{storeAway ? "Store away" : running ? "Working" : WORDS[status.connection]}</span>
    </span>
  );
}

/** The connection, and up to where the page holds the thread. */
export function ConnectionFacts({ status, position }: { status: ThreadStatus; position?: Position }) {
  return (
    <dl className="connection" data-testid="position" data-seq={position?.seq}>
      <dt>Connection</dt>
      <dd>{WORDS[status.connection]}</dd>
      <dt>Position</dt>
      <dd>{position ? `${position.seq} of log ${position.epoch}` : "nothing is held yet"}</dd>
      <dt>Run</dt>
      <dd>{status.activeRunId ?? "none"}</dd>
      <dt>Store</dt>
      <dd>{status.hello === undefined ? "unknown" : isStoreAway(status) ? "does not answer" : status.hello.durable ? "outlives the server" : "in the server's memory"}</dd>
    </dl>
  );
}
