import { usePolled } from "../server/api";
import { isRefused, Unread } from "./Backlog";
import { span } from "./backlogs";
import { countWords, took, type StoreInfo } from "./nodes";
import { onLink } from "../lib/route";
import { sizeWords } from "../../../react/lib/size";
import { exactly } from "../lib/exactly";
import { parts } from "../words";
import { ops } from "../words/ops";

const EVERY_MS = 3_000;

/** How it goes with the store: whether it answers, how fast, what it has, and what it may lose. */
export function StoreSection() {
  const { data, error } = usePolled<StoreInfo>("/store", EVERY_MS);
  if (isRefused({ error })) return null;
  return (
    <section aria-labelledby="store">
      <h2 id="store">{ops.store}</h2>
      <Unread error={error} shown={data !== undefined} />
      {data && !data.available && (
        <p className="hint" role="status" data-testid="store-away">
          {ops.storeAway} {data.at ? `${ops.figuresFrom(exactly(data.at))} ` : ""}
          {ops.asksAgain}
        </p>
      )}
      {data?.available && data.partial && (
        <p className="hint" role="status">
          {ops.storePartial}
        </p>
      )}
      {data?.embedded && <p className="hint">{ops.embedded}</p>}
      {data?.servers.map((of) => (
        <div key={of.address ?? ""} className="store-server" data-testid="store-server" data-available={data.available}>
          {of.address && (
            <h3>
              <code>{of.address}</code> {of.version && <span className="hint">Redis {of.version}</span>}
            </h3>
          )}
          <dl className="counts">
            <Figure name={ops.figures.latency} value={took(of.latencyMs)} />
            {of.memoryBytes !== undefined && <Figure name={ops.figures.memory} value={sizeWords(of.memoryBytes, parts)} more={of.memoryLimitBytes ? ops.limit(sizeWords(of.memoryLimitBytes, parts)) : ops.noLimit} />}
            {!data.embedded && <Figure name={ops.figures.commands} value={countWords(of.commandsPerSecond)} more={ops.figures.aSecond} />}
            {of.clients !== undefined && <Figure name={ops.figures.clients} value={String(of.clients)} />}
            {!data.embedded && <Figure name={ops.figures.replicas} value={String(of.replicas)} />}
            {of.uptimeMs !== undefined && <Figure name={ops.figures.up} value={span(of.uptimeMs)} />}
          </dl>
          {of.warnings.length > 0 && (
            <ul className="store-warnings">
              {of.warnings.map(({ setting, value, problem }) => (
                <li key={setting} data-testid="store-warning">
                  <span className="tag late">{ops.mayLose}</span> <code>{setting}</code> {ops.is} <code>{value || ops.notSet}</code>: {problem}.
                </li>
              ))}
            </ul>
          )}
        </div>
      ))}
    </section>
  );
}

interface FigureProps {
  name: string;
  value: string | number;
  more?: string;
  state?: string;
  /** What it is for programs. */
  title?: string;
  /** The place that shows what is counted. */
  href?: string;
}

/** A number of a list of them, under its name. None of something leads nowhere. */
export function Figure({ name, value, more, state, title, href }: FigureProps) {
  return (
    <div data-state={state} data-none={value === 0 || undefined} title={title}>
      <dt>{href && value !== 0 ? <a href={href} onClick={onLink}>{name}</a> : name}</dt>
      <dd>
        {value} {more && <span className="hint">{more}</span>}
      </dd>
    </div>
  );
}
