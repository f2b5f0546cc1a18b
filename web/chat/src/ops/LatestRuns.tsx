import { useMemo } from "react";
import { usePolled, type Page, type RunInfo } from "../server/api";
import { ANY, runHref, runsHref, runsPath, TENANT } from "./runfilters";
import { learnNames, nameOf } from "./runnames";
import { lengthWords } from "./runway";
import { visible } from "../../../react/lib/misleading";
import { openQuestions, runLine, runState, unfolded } from "./runstates";
import { useQuestions } from "./runquestions";
import { type Noticed, useLatestOfTenant, useRunsOf, type useFailedOfHour } from "./tenantruns";
import { useDue } from "../../../react/lib/DueTag";
import { onLink } from "../lib/route";
import { withTitles } from "./titles";
import { When } from "./When";
import { ops } from "../words/ops";

const EVERY_MS = 5_000;

/** How many are shown. */
const SHOWN = 5;

/** The latest of one's own runs; a question and the run that went on with its answer are one. */
export function LatestRuns({ title = ops.latestRuns }: { title?: string }) {
  const { data } = usePolled<Page<RunInfo>>(runsPath(ANY, 2 * SHOWN), EVERY_MS);
  useQuestions();
  const runs = unfolded(withTitles(data?.items ?? []), undefined).slice(0, SHOWN);
  return <ShortList title={title} all={runsHref(ANY)} allWords={ops.allRuns} runs={runs} hrefOf={({ threadId, id }) => runHref(threadId, id)} />;
}

const NONE: readonly Noticed[] = [];

/** The latest runs of everybody in the tenant, or one's own if notices tell none. */
export function LatestOfTenant() {
  const { latest, heard } = useLatestOfTenant(2 * SHOWN);
  const { runs: read, whole } = useRunsOf(latest ?? NONE, heard);
  learnNames(read);
  useQuestions();
  const runs = unfolded(read, undefined).slice(0, SHOWN);
  if (latest && whole && runs.length === 0) return <LatestRuns title={ops.latestOwn} />;
  const href = runsHref({ ...ANY, whose: TENANT });
  return <ShortList title={ops.latestOfTenant} all={href} allWords={ops.allRuns} runs={runs} hrefOf={({ id }) => `${href}&run=${encodeURIComponent(id)}`} across />;
}

/** The latest runs of the tenant that have failed. */
export function LatestFailures({ failed, href }: { failed: ReturnType<typeof useFailedOfHour>; href: string }) {
  const { noticed, heard } = failed;
  const latest = useMemo(() => noticed.slice(0, SHOWN), [noticed]);
  const { runs } = useRunsOf(latest, heard);
  return <ShortList title={ops.latestFailures} all={href} allWords={ops.allFailures} runs={runs} hrefOf={({ id }) => `${href}&run=${encodeURIComponent(id)}`} across />;
}

interface Listed {
  title: string;
  all: string;
  allWords: string;
  runs: readonly RunInfo[];
  hrefOf: (run: RunInfo) => string;
  /** They are of several users. */
  across?: boolean;
}

function ShortList({ title, all, allWords, runs, hrefOf, across }: Listed) {
  useDue(runs.flatMap(openQuestions));
  if (runs.length === 0) return null;
  return (
    <section aria-labelledby="latest">
      <h2 id="latest">{title}</h2>
      <ul className="latest" data-testid="latest">
        {runs.map((run) => {
          const { words, tone } = runState(run);
          return (
            <li key={run.id} data-testid="latest-run" data-id={run.id}>
              <a className="run-pick" href={hrefOf(run)} onClick={onLink}>
                <span dir="auto">{nameOf(run)}</span>
                <span className="hint" dir="auto">{[across && visible(run.begunBy ?? run.user ?? ""), run.agent && visible(run.agent), lengthWords(run), runLine(run)].filter(Boolean).join(" · ")}</span>
              </a>
              <span className={`tag ${tone}`}>{words}</span>
              <When at={run.createdAt} />
            </li>
          );
        })}
      </ul>
      <p>
        <a href={all} onClick={onLink}>{allWords}</a>
      </p>
    </section>
  );
}
