import type { Position, ThreadStatus } from "../../../client";
import { Drop } from "../lib/Drop";
import { words } from "../words";

/** The connection in a word, and, opened, up to where the page holds the thread. */
export function StatusChip({ status, position }: { status: ThreadStatus; position?: Position }) {
  const storeAway = status.connection === "connected" && !status.storeAvailable;
  const running = status.connection === "connected" && status.activeRunId !== undefined;
  return (
    <Drop
      className="connection"
      summary={
        <summary title={words.chat.connection}>
          <span className="chip" role="status" data-testid="status" data-state={status.connection} data-running={running} data-store={storeAway ? "away" : undefined}>
            <span className="dot" aria-hidden="true" />
            <span className="words">{storeAway ? words.chat.storeGone : running ? words.chat.working : words.chat.connections[status.connection]}</span>
          </span>
        </summary>
      }
    >
      <dl data-testid="position" tabIndex={-1} data-seq={position?.seq}>
        <dt>{words.chat.position}</dt>
        <dd>{position ? words.chat.positionOf(position.seq, position.epoch) : words.chat.nothingHeld}</dd>
        <dt>{words.chat.run}</dt>
        <dd>{status.activeRunId ?? words.chat.none}</dd>
        <dt>{words.chat.store}</dt>
        <dd>{status.hello === undefined ? words.chat.unknown : storeAway ? words.chat.noAnswer : status.hello.durable ? words.chat.durable : words.chat.volatile}</dd>
      </dl>
    </Drop>
  );
}
