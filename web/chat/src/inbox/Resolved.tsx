import { type MouseEvent, type ReactNode, useRef, useState } from "react";
import { at } from "../lib/base";
import { questionText } from "../../../client/answers";
import { aboutOf } from "../../../react/forms/wording";
import type { DecisionInfo } from "../server/api";
import type { Change } from "../../../client";
import { placeOf, sideOf, toldOnRecord } from "../decision/told";
import { stakeOf } from "./apart";
import { offered } from "./facets";
import { AgentCell, Cell, columnsOf, DecisionTable, tellsApart, TimeCell } from "./DecisionTable";
import { answerBeside, answerWord, carriedOut, decidedAbout, decidedBy, decidedHow, decidedWhy } from "./decided";
import { download } from "../server/download";
import { ArgFields } from "../../../react/decision/ArgFields";
import { Folded, Paragraph } from "../../../react/lib/Folded";
import { stringify } from "../../../react/lib/json";
import { Marked } from "../../../react/lib/Marked";
import { visible } from "../../../react/lib/misleading";
import type { Held } from "./held";
import { BESIDE } from "./InboxOpen";
import { Drop } from "../lib/Drop";
import { meansRow } from "../lib/rowpress";
import { useWide } from "../lib/wide";
import { Choices } from "./Choices";
import { ofDecisions } from "../server/notices";
import { Pager } from "../server/Pager";
import { usePages } from "../server/pages";
import { Toast } from "./Toast";
import { onLink, threadHref } from "../lib/route";
import SignIn from "../server/SignIn";
import { bearer } from "../server/session";
import { sentence, staleWords } from "../lib/words";
import { words } from "../words";
import { inbox } from "../words/inbox";

/** How often the record is asked for where no notices come, in milliseconds. */
const EVERY_MS = 10_000;

/** How many decisions are shown at once. */
const SIZE = 50;

const EXPORTS = [["csv", "csv", "decisions.csv"], ["ndjson", "jsonLines", "decisions.jsonl"]] as const;

/** What was decided, by whom, when and how, the latest first. */
export function Resolved({ views, held }: { views: ReactNode; held: Held }) {
  const [status, setStatus] = useState("");
  const [by, setBy] = useState({ user: "", tool: "" });
  const [fault, setFault] = useState<string>();
  const [cleared, setCleared] = useState(0);
  const heading = useRef<HTMLHeadingElement>(null);
  const beside = useWide(BESIDE);
  const query = new URLSearchParams(Object.entries({ status, ...by }).filter(([, value]) => value !== ""));
  const { data, error, place } = usePages<DecisionInfo>(`/decisions?limit=${SIZE}${query.size > 0 ? `&${query}` : ""}`, EVERY_MS, ofDecisions);
  const has = {
    by: tellsApart(data?.items ?? [], decidedBy) || data?.items.some(({ user }) => user !== undefined) === true,
    agent: tellsApart(data?.items ?? [], ({ agent }) => agent),
  };
  // What was there once can be filtered by, whatever is there now.
  const { current: seen } = useRef({ users: new Set<string>(), tools: new Set<string>(), paged: false });
  for (const { user = "", tool = "" } of data?.items ?? []) {
    seen.users.add(user);
    seen.tools.add(tool);
  }
  // A page may miss some: they are typed.
  seen.paged ||= (place.on ?? place.back) !== undefined;
  const named = (what: keyof typeof by) => (name: string) => setBy((now) => ({ ...now, [what]: name }));
  const clear = () => {
    setStatus("");
    setBy({ user: "", tool: "" });
    setCleared((n) => n + 1);
    heading.current?.focus({ preventScroll: true });
  };
  const exported = (format: string) => `/decisions?format=${format}${query.size > 0 ? `&${query}` : ""}`;
  const keep = (event: MouseEvent, path: string, name: string) => {
    // A link comes without a token.
    if (bearer() === undefined) return;
    event.preventDefault();
    setFault(undefined);
    download(path, name).catch((failed: unknown) => setFault(failed instanceof Error ? failed.message : String(failed)));
  };
  if (error?.status === 401) return <SignIn wrong={bearer() !== undefined} />;
  return (
    <>
      <div className="toolbar">
        <h2 ref={heading} tabIndex={-1}>
          {inbox.resolved}
        </h2>
        {views}
        {(query.size > 0 || seen.users.size > 0) && (
          <Fold key={cleared} folded={!beside} set={query.size}>
            <Choices label={inbox.howLabel} hook="resolved-status" field={!beside} value={status} all={inbox.anyWay} values={Object.keys(inbox.statuses)} words={(one) => inbox.statuses[one as keyof typeof inbox.statuses]} choose={setStatus} />
            <Choices label={inbox.byUser} hook="resolved-user" field={!beside} value={by.user} all={inbox.anybody} values={offered([...seen.users], by.user)} choose={named("user")} />
            <Choices label={inbox.tool} hook="resolved-tool" field={!beside} value={by.tool} all={inbox.any} values={offered([...seen.tools, ""], by.tool)} choose={named("tool")} />
            {seen.paged && (
              <More folded={!beside}>
                <NameFilter key={`user ${by.user}`} label={inbox.byUser} hook="resolved-named-user" value={by.user} set={named("user")} />
                <NameFilter key={`tool ${by.tool}`} label={inbox.tool} hook="resolved-named-tool" value={by.tool} set={named("tool")} />
              </More>
            )}
            <span className="exports">
              <span className="hint">{inbox.exportAs}</span>
              {EXPORTS.map(([format, called, name]) => (
                <a key={format} href={at(`/v1${exported(format)}`)} download={name} data-testid={`resolved-${format}`} onClick={(event) => keep(event, exported(format), name)}>
                  {inbox[called]}
                </a>
              ))}
            </span>
          </Fold>
        )}
      </div>
      {(error ?? fault) && (
        <p className="banner" role="alert">
          {fault ? inbox.exportFailed(sentence(fault)) : error!.status === 400 ? sentence(error!.message) : staleWords(error!, data !== undefined)}
        </p>
      )}
      {data?.partial && (
        <p className="banner" role="status">
          {inbox.partialDecided}
        </p>
      )}
      {!data && !error && <p className="hint center">{words.app.loading}</p>}
      {data?.items.length === 0 && (
        <div className="inbox-empty">
          <p>{query.size > 0 ? inbox.noDecisionFits : inbox.noDecisions}</p>
          {query.size > 0 && (
            <button type="button" data-testid="resolved-clear" onClick={clear}>
              {inbox.clearFilters}
            </button>
          )}
        </div>
      )}
      {data !== undefined && data.items.length > 0 && (
        <div className="decided">
          <DecisionTable label={inbox.decisions} columns={columnsOf(inbox.decidedColumns, has)}>
            {data.items.map((decision) => (
              <Decision key={decision.id} decision={decision} has={has} />
            ))}
          </DecisionTable>
        </div>
      )}
      <Pager place={place} of={inbox.ofDecisions} />
      <div className="foot">
        <div className="over">
          <Toast held={held} undo={() => held.undo()?.undone?.()} />
        </div>
      </div>
    </>
  );
}

/** What a list is filtered by and exported as, behind a word if there is no room beside it. */
function Fold({ folded, set, children }: { folded: boolean; set: number; children: ReactNode }) {
  if (!folded) return <div className="filters">{children}</div>;
  return (
    <div className="filters">
      <Drop className="choices" data-testid="resolved-filters" summary={<summary data-set={set > 0}>{set > 0 ? inbox.filtersSet(set) : inbox.filters}</summary>}>
        <div className="drop-panel filter-fields" tabIndex={-1}>
          {children}
        </div>
      </Drop>
    </div>
  );
}

/** Filters that are typed, behind a word unless all are behind one. */
function More({ folded, children }: { folded: boolean; children: ReactNode }) {
  if (folded) return children;
  return (
    <Drop className="choices" data-testid="resolved-more" summary={<summary>{inbox.moreFilters}</summary>}>
      <div className="drop-panel filter-fields" tabIndex={-1}>
        {children}
      </div>
    </Drop>
  );
}

/** A name that is looked for when it is whole: with Enter, or when the field is left. */
function NameFilter({ label, hook, value, set }: { label: string; hook: string; value: string; set: (name: string) => void }) {
  return (
    <label className="field">
      <span>{label}</span>
      <input
        autoComplete="off"
        spellCheck={false}
        defaultValue={value}
        data-testid={hook}
        onBlur={(event) => set(event.target.value.trim())}
        onKeyDown={(event) => {
          if (event.key === "Enter") set(event.currentTarget.value.trim());
        }}
      />
    </label>
  );
}

const TAGS: Record<DecisionInfo["status"], string> = { resolved: "tag done", cancelled: "tag", expired: "tag late" };

function Decision({ decision, has }: { decision: DecisionInfo; has: { by: boolean; agent: boolean } }) {
  const { id, at, status, threadId, namespace, agent, message, arguments: args, cut, refused } = decision;
  const how = decidedHow(decision);
  const why = decidedWhy(decision);
  const asked = questionText({ message });
  const { changed = [] } = toldOnRecord(decision);
  const beside = message && aboutOf({ message });
  const answer = answerBeside(decision);
  // The answer that was given for nobody is not in the row.
  const word = status === "expired" ? answerWord(decision) : undefined;
  const about = visible(decidedAbout(decision));
  const done = carriedOut(decision);
  const stake = done === undefined ? "" : stakeOf(about, stringify(done));
  // What the row says is not said once more.
  const asks = asked !== undefined && visible(asked) !== about ? asked : undefined;
  const [open, setOpen] = useState(false);
  const turn = () => setOpen(!open);
  return (
    <tr role="row" onClick={({ target }) => meansRow(target as Element) && turn()} data-testid="decided" data-id={id} data-status={status} data-thread-id={threadId}>
      <Cell className="what">
        <button type="button" className="row-pick" dir="auto" aria-expanded={open} data-testid="decided-pick" onClick={turn}>
          {about}
        </button>
        {stake !== "" && (
          <div className="hint" dir="auto" data-testid="decided-stake">
            {stake}
          </div>
        )}
        {why !== undefined && (
          <div className="why" data-testid="decided-why">
            <span className="hint">{inbox.reason}:</span> <Paragraph text={why} label={inbox.reason} />
          </div>
        )}
        {changed.length > 0 && <Edits changes={changed} />}
        {refused > 0 && <span className="hint">{inbox.refusedBefore(refused)}</span>}
        {open && (
          <div className="decided-details" data-testid="decided-details">
            {asks !== undefined && <Paragraph text={asks} label={inbox.message} />}
            {beside && <Folded text={beside} hook="decided-beside" label={inbox.details} />}
            {args !== undefined && <span className="hint">{inbox.argumentsShown}</span>}
            {args !== undefined && <ArgFields text={stringify(args)} hook="decided-args" label={inbox.argumentsShown} compact />}
            {(word ?? answer) !== undefined && <span className="hint">{inbox.theAnswer}</span>}
            {word !== undefined && <span data-testid="decided-word">{word}</span>}
            {answer !== undefined && <ArgFields text={stringify(answer)} hook="decided-payload" label={inbox.theAnswer} compact />}
            {cut && cut.length > 0 && <p className="hint">{inbox.notWhole(cut.join(", "))}</p>}
            <a href={threadHref(threadId, namespace)} onClick={onLink}>
              {inbox.openChat}
            </a>
          </div>
        )}
      </Cell>
      <Cell>
        <span className={how === inbox.how.declined || how === inbox.how.no ? "tag" : TAGS[status]} data-testid="decided-how">
          {how}
        </span>
      </Cell>
      {has.by && <Cell data-testid="decided-by">{visible(decidedBy(decision))}</Cell>}
      {has.agent && <AgentCell agent={agent} />}
      <TimeCell at={at} />
    </tr>
  );
}

/** What was proposed, and what was approved in its place: "To: a → b". */
function Edits({ changes }: { changes: readonly Change[] }) {
  return (
    <ul className="edits" data-testid="changes" aria-label={words.decision.edits}>
      {changes.map((change) => (
        <li key={change.pointer}>
          <span className="hint">
            <bdi>
              <Marked text={placeOf(change.pointer)} />
            </bdi>
            :
          </span>{" "}
          {"before" in change && (
            <del>
              <Marked text={sideOf(change.before)} />
            </del>
          )}{" "}
          →{" "}
          {"after" in change ? (
            <ins>
              <Marked text={sideOf(change.after)} />
            </ins>
          ) : (
            <span className="hint">{words.decision.takenOut}</span>
          )}
        </li>
      ))}
    </ul>
  );
}
