import { useEffect, useState } from "react";
import { ApiError, call, type Page } from "../server/api";
import { Guarded } from "../../../react/lib/Guarded";
import { words } from "../words";
import { apart } from "../words/apart";

/** How often threads below are stopped, as many at a time as the server does, before somebody has to ask anew. */
const ROUNDS = 10;

interface Below {
  /** Threads below in which something goes on. */
  active: number;
  stopped: number;
}

interface Props {
  threadId: string;
  /** The run that was stopped here. */
  runId: string;
}

/** What goes on in the parts of a chat whose run was stopped, which a stop leaves alone, and the way to stop that too. */
export default function PartsGoOn({ threadId, runId }: Props) {
  const [below, setBelow] = useState<Below>();
  const [stopped, setStopped] = useState(0);
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<string>();
  const [path, setPath] = useState("");
  useEffect(() => {
    let over = false;
    const runs = `/threads/${encodeURIComponent(threadId)}/runs`;
    const look = async () => {
      const [run] = (await call<Page<{ id: string }>>("GET", `${runs}?limit=1&runId=${encodeURIComponent(runId)}`)).items;
      if (!run || over) return;
      const cancel = `${runs}/${run.id}/cancel`;
      // It is over, and to stop it again changes nothing.
      const { below } = await call<{ below?: Below }>("POST", cancel, {});
      if (over) return;
      setPath(cancel);
      setBelow(below);
    };
    look().catch(() => {}); // nobody asked for it, and the chat says what ails the server
    return () => {
      over = true;
    };
  }, [threadId, runId]);
  const stopAll = async () => {
    if (busy) return;
    setBusy(true);
    setFault(undefined);
    try {
      let left = below;
      for (let round = 0; left && left.active > 0 && round < ROUNDS; round++) {
        left = (await call<{ below?: Below }>("POST", `${path}?children=cancel`, {})).below;
        const count = left?.stopped ?? 0;
        setStopped((now) => now + count);
        setBelow(left);
      }
    } catch (reason) {
      setFault(reason instanceof ApiError ? reason.message : String(reason));
    } finally {
      setBusy(false);
    }
  };
  const goOn = below?.active ?? 0;
  if (goOn === 0 && stopped === 0) return null;
  return (
    <div className="mark-end" data-testid="parts-go-on" data-active={goOn}>
      <span role="status">
        {goOn === 0 ? apart.partsStopped(stopped) : apart.partsGoOn(goOn)}
        {fault && ` ${apart.partsFailed(fault)}`}
      </span>
      {goOn > 0 && (
        <Guarded subject={runId}>
          <button type="button" className="quiet" data-testid="stop-parts" aria-disabled={busy || undefined} onClick={() => void stopAll()}>
            {busy ? words.chat.stopping : goOn === 1 ? apart.stopIt : apart.stopThem}
          </button>
        </Guarded>
      )}
    </div>
  );
}
