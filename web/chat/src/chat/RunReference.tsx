import { useEffect, useState } from "react";
import { at } from "../lib/base";
import { Copy } from "../lib/Copy";
import { onLink } from "../lib/route";
import { call, type Page, type RunInfo } from "../server/api";
import { useMay } from "../server/who";
import { apart } from "../words/apart";

/** So much of a run's id is shown, in characters: the whole is copied. */
const REFERENCE = 8;

/** A run that has failed only now is among so many of its chat's latest. */
const LATEST = 20;

export interface Run {
  /** The server's id of it, which its log and its operators' pages have. */
  run?: string;
  /** The client's, which takes its place where that is not known. */
  runId?: string;
  /** Where the server's is looked for. */
  threadId?: string;
}

/** What can be told to whoever runs the server, and for those the way to it. */
export default function RunReference({ run, runId, threadId }: Run) {
  const looks = run === undefined && runId !== undefined && threadId !== undefined;
  const [found, find] = useState<{ run?: string }>();
  const operates = useMay("admin");
  useEffect(() => {
    if (!looks) return;
    let left = false;
    const end = (run?: string) => left || find({ run });
    call<Page<RunInfo>>("GET", `/threads/${encodeURIComponent(threadId)}/runs?limit=${LATEST}`).then(({ items }) => end(items.find((one) => one.runId === runId)?.id), () => end());
    return () => {
      left = true;
    };
  }, [looks, runId, threadId]);
  const id = run ?? found?.run;
  const reference = id ?? runId;
  if (reference === undefined || (looks && !found)) return null;
  return (
    <span className="reference" data-testid="error-reference">
      {apart.reference} <code title={reference}>{reference.slice(0, REFERENCE)}…</code> <Copy text={reference} label={apart.copyReference} hook="copy-error" />
      {operates && id !== undefined && (
        <a href={at(`/ops/runs?run=${encodeURIComponent(id)}`)} data-testid="error-run" onClick={onLink}>
          {apart.seeRun}
        </a>
      )}
    </span>
  );
}
