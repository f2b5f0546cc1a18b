import type { Position, ThreadStatus } from "../../../client";
import { words } from "../words";

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
      <span className="words">{storeAway ? words.chat.storeGone : running ? words.chat.working : words.chat.connections[status.connection]}</span>
    </span>
  );
}

/** The connection, up to where the page holds the thread, and the run that is in progress or waits. */
export function ConnectionFacts({ status, position, waiting }: { status: ThreadStatus; position?: Position; waiting?: string }) {
  return (
    <dl className="connection" data-testid="position" data-seq={position?.seq}>
      <dt>{words.chat.connection}</dt>
      <dd>{words.chat.connections[status.connection]}</dd>
      <dt>{words.chat.position}</dt>
      <dd>{position ? words.chat.positionOf(position.seq, position.epoch) : words.chat.nothingHeld}</dd>
      <dt>{words.chat.run}</dt>
      <dd>{status.activeRunId ?? waiting ?? words.chat.none}</dd>
      <dt>{words.chat.store}</dt>
      <dd>{status.hello === undefined ? words.chat.unknown : isStoreAway(status) ? words.chat.noAnswer : status.hello.durable ? words.chat.durable : words.chat.volatile}</dd>
    </dl>
  );
}
