// Between which messages questions were answered and turns failed is told by the log alone.

import type { BaseEvent } from "@ag-ui/client";
import type { Position } from "../../../client";
import { parse } from "../../../react/lib/json";
import { readLog } from "./log";
import type { ThreadRecord } from "../decision/record";

/** So many of the latest events are looked through: what was long ago is not worth waiting for. */
const EVENTS = 4_000;

const TURNS = /"type":"(?:RUN_STARTED|RUN_FINISHED|RUN_ERROR)"/;
const MESSAGE = /"type":"(?:TEXT_MESSAGE_START|REASONING_MESSAGE_START|TOOL_CALL_RESULT|ACTIVITY_SNAPSHOT)"/;

/** Has the record take the turns that the server retains of the latest events up to a position. */
export async function turnsInLog(threadId: string, upTo: Position, record: ThreadRecord): Promise<void> {
  let last: string | undefined;
  await readLog(threadId, Math.max(0, upTo.seq - EVENTS), upTo, (text) => {
    if (MESSAGE.test(text)) {
      const { messageId } = JSON.parse(text) as { messageId?: string };
      last = messageId ?? last;
    } else if (TURNS.test(text)) {
      const event = parse(text) as BaseEvent & { input?: { messages?: { id: string }[] } };
      record.take(event, last, "log");
      // What it was asked stands behind what was decided.
      last = event.input?.messages?.at(-1)?.id ?? last;
    }
  });
}
