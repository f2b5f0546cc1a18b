import { usePolled } from "../server/api";
import { Unread } from "./Backlog";
import { span } from "./backlogs";
import { countWords, took, type StoreInfo } from "./nodes";
import { sizeWords } from "../../../react/lib/size";
import { ago } from "../../../react/lib/time";

const EVERY_MS = 3_000;

/** How it goes with the store: whether it answers, how fast, what it has, and what it may lose. */
export function StoreSection() {
  const { data, error } = usePolled<StoreInfo>("/store", EVERY_MS);
  return (
    <section aria-labelledby="store">
      <h2 id="store">Store</h2>
      <Unread error={error} shown={data !== undefined} needs="the scope metrics, or admin with tenants" />
      {data && !data.available && (
        <p className="hint" role="status" data-testid="store-away">
          The store does not answer. {data.at ? `The figures are from ${ago(data.at)}. ` : ""}The page asks again by itself.
        </p>
      )}
      {data?.available && data.partial && (
        <p className="hint" role="status">
          Some of the store's servers do not answer; the others are shown.
        </p>
      )}
      {data?.embedded && <p className="hint">The store is inside this server and ends with it. To keep what was said, start with --redis.</p>}
      {data?.servers.map((of) => (
        <div key={of.address ?? ""} className="store-server" data-testid="store-server" data-available={data.available}>
          {of.address && (
            <h3>
              <code>{of.address}</code> {of.version && <span className="hint">Redis {of.version}</span>}
            </h3>
          )}
          <dl className="counts">
            <Figure name="Answers in" value={took(of.latencyMs)} />
            {of.memoryBytes !== undefined && <Figure name="Memory" value={sizeWords(of.memoryBytes)} more={of.memoryLimitBytes ? `of ${sizeWords(of.memoryLimitBytes)}` : "no limit"} />}
            {!data.embedded && <Figure name="Commands" value={countWords(of.commandsPerSecond)} more="a second" />}
            {of.clients !== undefined && <Figure name="Connections" value={String(of.clients)} />}
            {!data.embedded && <Figure name="Replicas" value={String(of.replicas)} />}
            {of.uptimeMs !== undefined && <Figure name="Up" value={span(of.uptimeMs)} />}
          </dl>
          {of.warnings.length > 0 && (
            <ul className="store-warnings">
              {of.warnings.map(({ setting, value, problem }) => (
                <li key={setting} data-testid="store-warning">
                  <span className="tag late">may lose data</span> <code>{setting}</code> is <code>{value || "not set"}</code>: {problem}.
                </li>
              ))}
            </ul>
          )}
        </div>
      ))}
    </section>
  );
}

/** A number of a list of them, under its name. */
export function Figure({ name, value, more, state }: { name: string; value: string; more?: string; state?: string }) {
  return (
    <div data-state={state}>
      <dt>{name}</dt>
      <dd>
        {value} {more && <span className="hint">{more}</span>}
      </dd>
    </div>
  );
}
