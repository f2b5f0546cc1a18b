import { type FormEvent, type ReactNode, useRef, useState } from "react";
import { ApiError, call } from "../server/api";
import { CHATS, lookUp, type Answer } from "./find";
import { seesOthers } from "./health";
import { learnNames } from "./runnames";
import { unfolded } from "./runstates";
import { visible } from "../../../react/lib/misleading";
import { onLink, threadHref } from "../lib/route";
import { RunTable, type Act } from "./RunTable";
import { useMe } from "../server/who";
import { sentence } from "../lib/words";
import { ops } from "../words/ops";

/** What is not there, or is not this person's to see. */
const NOTHING = [400, 403, 404];

const get = async <T,>(path: string): Promise<T | undefined> => {
  try {
    return await call<T>("GET", path);
  } catch (failed) {
    if (failed instanceof ApiError && NOTHING.includes(failed.status)) return undefined;
    throw failed;
  }
};

/** Finds chats by a part of their title, runs by what they ask, and what has an id, whatever it is. `titled` shows the runs of such chats. The children are shown while nothing was looked for by its id. */
export function FindById({ act, titled, children }: { act: Act; titled: (title: string) => void; children: ReactNode }) {
  const [id, setId] = useState("");
  const [answer, setAnswer] = useState<Answer & { id: string; fault?: string; looking?: boolean }>();
  const latest = useRef("");
  const look = async (event?: FormEvent) => {
    event?.preventDefault();
    const wanted = id.trim();
    if (wanted === "") return setAnswer(undefined);
    latest.current = wanted;
    setAnswer({ id: wanted, looking: true });
    const outcome = await lookUp(wanted, get).catch((failed: unknown) => ({ fault: failed instanceof Error ? failed.message : String(failed) }));
    if (latest.current !== wanted) return;
    if (outcome !== "titled") return setAnswer({ id: wanted, ...outcome });
    setAnswer(undefined);
    titled(wanted);
  };
  const others = seesOthers(useMe());
  const found = answer?.found;
  const runs = answer?.runs;
  learnNames(runs ?? []);
  const type = (text: string) => {
    setId(text);
    if (text !== "") return;
    latest.current = "";
    setAnswer(undefined);
  };
  const actHere: Act = async (...what) => {
    await act(...what);
    await look();
  };
  return (
    <>
      <search>
        <form className="find" onSubmit={(event) => void look(event)}>
          <label className="field">
            <span className="visually-hidden">{ops.findWhat}</span>
            <input type="search" value={id} autoComplete="off" spellCheck={false} placeholder={ops.findWhat} data-testid="find" onChange={(event) => type(event.target.value)} />
          </label>
          <button type="submit" data-testid="find-go">
            {ops.find}
          </button>
        </form>
        <div role="status" data-testid="found" data-what={found?.what}>
          {answer?.looking && <p className="hint">{ops.looking}</p>}
          {answer?.fault && <p className="fault">{sentence(answer.fault)}</p>}
          {answer && !answer.looking && !answer.fault && !found && !runs && (
            <>
              <p>{ops.notFound(visible(answer.id))}</p>
              <details className="hint">
                <summary>{ops.howFar}</summary>
                <p>{ops.looked(CHATS)}</p>
              </details>
            </>
          )}
          {runs && <p>{(answer.cut ? ops.firstRunsWith : ops.runsWith)(unfolded(runs, found?.run?.id).length, visible(answer.id))}</p>}
          {answer && !answer.looking && (
            <button type="button" className="quiet" data-testid="find-over" onClick={() => type("")}>
              {ops.toRuns}
            </button>
          )}
          {found && (
            <p>
              {ops.itIs[found.what]}{" "}
              <a href={threadHref(found.threadId, found.namespace)} onClick={onLink} dir="auto">
                {visible(found.title || found.threadId)}
              </a>
              {found.namespace && (
                <span className="hint">
                  {" "}
                  {ops.inNamespace} <code>{found.namespace}</code>
                </span>
              )}
            </p>
          )}
        </div>
        {found?.run && !runs && <RunTable key={found.run.id} runs={[found.run]} act={actHere} across={found.namespace !== undefined} shown={found.run.id} />}
        {runs && <RunTable key={found?.run?.id} runs={runs} act={actHere} across={others} shown={found?.run?.id} />}
      </search>
      {(!answer || answer.looking) && children}
    </>
  );
}
