import type { Position, ThreadStatus } from "../../../client";
import { Drop } from "../lib/Drop";

const WORDS: Record<ThreadStatus["connection"], string> = {
  idle: "Not connected",
  connecting: "Connecting",
  connected: "Connected",
  reconnecting: "Reconnecting",
  failed: "Disconnected",
};

/** The connection in a word, and, opened, up to where the page holds the thread. */
export function StatusChip({ status, position }: { status: ThreadStatus; position?: Position }) {
  const storeAway = status.connection === "connected" && !status.storeAvailable;
  const running = status.connection === "connected" && status.activeRunId !== undefined;
  return (
    <Drop
      className="connection"
      summary={
        <summary title="Connection">
          <span className="chip" role="status" data-testid="status" data-state={status.connection} data-running={running} data-store={storeAway ? "away" : undefined}>
            <span className="dot" aria-hidden="true" />
            <span className="words">{storeAway ? "Store away" : running ? "Working" : WORDS[status.connection]}</span>
          </span>
        </summary>
      }
    >
      <dl data-testid="position" tabIndex={-1} data-seq={position?.seq}>
        <dt>Position</dt>
        <dd>{position ? `${position.seq} of log ${position.epoch}` : "nothing is held yet"}</dd>
        <dt>Run</dt>
        <dd>{status.activeRunId ?? "none"}</dd>
        <dt>Store</dt>
        <dd>{status.hello === undefined ? "unknown" : storeAway ? "does not answer" : status.hello.durable ? "outlives the server" : "in the server's memory"}</dd>
      </dl>
    </Drop>
  );
}
