import type { ThreadStatus } from "../../client";

const WORDS: Record<ThreadStatus["connection"], string> = {
  idle: "Not connected",
  connecting: "Connecting",
  connected: "Connected",
  reconnecting: "Reconnecting",
  failed: "Disconnected",
};

export function StatusChip({ status }: { status: ThreadStatus }) {
  const running = status.connection === "connected" && status.activeRunId !== undefined;
  return (
    <span className="chip" role="status" data-testid="status" data-state={status.connection} data-running={running}>
      <span className="dot" aria-hidden="true" />
      {running ? "Working" : WORDS[status.connection]}
    </span>
  );
}
