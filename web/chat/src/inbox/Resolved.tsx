import { type MouseEvent, type ReactNode, useState } from "react";
import { questionText } from "../../../client/answers";
import { aboutOf } from "../../../react/forms/wording";
import type { DecisionInfo } from "../server/api";
import { Changes } from "../decision/Changes";
import { toldOnRecord } from "../decision/told";
import { AgentCell, Cell, DecisionTable, TimeCell } from "./DecisionTable";
import { decidedAbout, decidedBy, decidedHow, decidedWhy } from "./decided";
import { download } from "../server/download";
import { ArgFields } from "../../../react/decision/ArgFields";
import { Folded, Paragraph } from "../../../react/lib/Folded";
import { stringify } from "../../../react/lib/json";
import { visible } from "../../../react/lib/misleading";
import { Menu } from "./Menu";
import { ofDecisions } from "../server/notices";
import { Pager } from "../server/Pager";
import { usePages } from "../server/pages";
import { onLink, threadHref } from "../lib/route";
import { SignIn } from "../server/SignIn";
import { bearer } from "../server/session";
import { sentence, staleWords } from "../lib/words";

/** How often the record is asked for where no notices come, in milliseconds. */
const EVERY_MS = 10_000;

/** How many decisions are shown at once. */
const SIZE = 50;

const STATUSES: Record<string, string> = { resolved: "answered", cancelled: "cancelled", expired: "timed out" };

const COLUMNS = ["What", "Answer", "By", "Agent", "When"];

const EXPORTS = [["csv", "CSV", "decisions.csv"], ["ndjson", "JSON lines", "decisions.jsonl"]] as const;

/** What was decided, by whom, when and how, the latest first. */
export function Resolved({ views }: { views: ReactNode }) {
  const [status, setStatus] = useState("");
  const [by, setBy] = useState({ user: "", tool: "" });
  const [fault, setFault] = useState<string>();
  const query = new URLSearchParams(Object.entries({ status, ...by }).filter(([, value]) => value !== ""));
  const { data, error, place } = usePages<DecisionInfo>(`/decisions?limit=${SIZE}${query.size > 0 ? `&${query}` : ""}`, EVERY_MS, ofDecisions);
  if (error?.status === 401) return <SignIn wrong={bearer() !== undefined} />;
  const exported = (format: string) => `/decisions?format=${format}${query.size > 0 ? `&${query}` : ""}`;
  const keep = (event: MouseEvent, path: string, name: string) => {
    // A link comes without a token.
    if (bearer() === undefined) return;
    event.preventDefault();
    setFault(undefined);
    download(path, name).catch((failed: unknown) => setFault(failed instanceof Error ? failed.message : String(failed)));
  };
  return (
    <>
      <div className="filter">
        <h2>Resolved</h2>
        <span className="spacer" />
        {views}
      </div>
      <div className="filters">
        <Menu label="How" hook="resolved-status" value={status} all="any way" values={Object.keys(STATUSES)} words={(one) => STATUSES[one]!} choose={setStatus} />
        <NameFilter label="By user" hook="resolved-user" set={(user) => setBy((now) => ({ ...now, user }))} />
        <NameFilter label="Tool" hook="resolved-tool" set={(tool) => setBy((now) => ({ ...now, tool }))} />
        <span className="exports">
          <span className="hint">Export as</span>
          {EXPORTS.map(([format, words, name]) => (
            <a key={format} href={`/v1${exported(format)}`} download={name} data-testid={`resolved-${format}`} onClick={(event) => keep(event, exported(format), name)}>
              {words}
            </a>
          ))}
        </span>
      </div>
      {(error ?? fault) && (
        <p className="banner" role="alert">
          {fault ? `The export failed. ${sentence(fault)}` : error!.status === 400 ? sentence(error!.message) : staleWords(error!, data !== undefined)}
        </p>
      )}
      {data?.partial && (
        <p className="banner" role="status">
          A part of the store does not answer: more was decided than is shown.
        </p>
      )}
      {!data && !error && <p className="hint center">Loading…</p>}
      {data?.items.length === 0 && <p className="hint center">{query.size > 0 ? "No decision fits the filters." : "No decisions yet."}</p>}
      {data !== undefined && data.items.length > 0 && (
        <div className="decided">
          <DecisionTable label="Decisions" columns={COLUMNS}>
            {data.items.map((decision) => (
              <Decision key={decision.id} decision={decision} />
            ))}
          </DecisionTable>
        </div>
      )}
      <Pager place={place} of="decisions" />
    </>
  );
}

/** A name that is looked for when it is whole: with Enter, or when the field is left. */
function NameFilter({ label, hook, set }: { label: string; hook: string; set: (name: string) => void }) {
  return (
    <label className="filter">
      <span className="hint">{label}</span>
      <input
        autoComplete="off"
        spellCheck={false}
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

function Decision({ decision }: { decision: DecisionInfo }) {
  const { id, at, status, threadId, namespace, agent, message, arguments: args, payload, cut, refused } = decision;
  const how = decidedHow(decision);
  const why = decidedWhy(decision);
  const asked = questionText({ message });
  const { changed = [] } = toldOnRecord(decision);
  const beside = message && aboutOf({ message });
  return (
    <tr role="row" data-testid="decided" data-id={id} data-status={status} data-thread-id={threadId}>
      <Cell className="what">
        <a className="about" dir="auto" href={threadHref(threadId, namespace)} onClick={onLink}>
          {visible(decidedAbout(decision))}
        </a>
        {why !== undefined && <Paragraph text={why} label="Reason" />}
        {changed.length > 0 && <Changes changes={changed} />}
        {refused > 0 && <span className="hint">{refused === 1 ? "1 answer was refused before" : `${refused} answers were refused before`}</span>}
        {(message !== undefined || args !== undefined || payload !== undefined) && (
          <Details>
            {asked && <Paragraph text={asked} label="Message" />}
            {beside && <Folded text={beside} hook="decided-beside" label="Details of the question" />}
            {args !== undefined && <span className="hint">Arguments as they were shown</span>}
            {args !== undefined && <ArgFields text={stringify(args)} hook="decided-args" label="Arguments as they were shown" compact />}
            {payload !== undefined && <span className="hint">The answer</span>}
            {payload !== undefined && <ArgFields text={stringify(payload)} hook="decided-payload" label="The answer" compact />}
            {cut && cut.length > 0 && <p className="hint">Not whole on record: {cut.join(", ")}.</p>}
          </Details>
        )}
      </Cell>
      <Cell>
        <span className={how === "Declined" ? "tag" : TAGS[status]} data-testid="decided-how">
          {how}
        </span>
      </Cell>
      <Cell data-testid="decided-by">{visible(decidedBy(decision))}</Cell>
      <AgentCell agent={agent} />
      <TimeCell at={at} />
    </tr>
  );
}

/** What is drawn when it is asked for. */
function Details({ children }: { children: ReactNode }) {
  const [open, setOpen] = useState(false);
  return (
    <details data-testid="decided-details" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Question and answer</summary>
      {open && <div className="decided-details">{children}</div>}
    </details>
  );
}
