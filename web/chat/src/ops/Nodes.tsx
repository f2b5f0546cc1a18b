import type { ReactNode } from "react";
import { usePolled, type Page } from "../server/api";
import { Unread } from "./Backlog";
import { span } from "./backlogs";
import { nodeState, took, type NodeInfo } from "./nodes";
import { sizeWords } from "../../../react/lib/size";
import { StackedTable } from "../lib/StackedTable";

const EVERY_MS = 3_000;

const NEEDS = "the scope metrics, or admin with tenants";

/** What is shown of a node; where there is no room beside one another, each under its title. */
const COLUMNS: Record<string, (of: NodeInfo) => ReactNode> = {
  Server: ({ node, host, self }) => (
    <span>
      <code title={node}>{[host, node.slice(0, 6)].filter(Boolean).join(" ") || "this server"}</code> {self && <span className="hint">answers you</span>}
    </span>
  ),
  State: (of) => {
    const { words, tone } = nodeState(of);
    return (
      <span>
        <span className={`tag ${tone}`}>{words}</span>
        {of.state === "silent" && <span className="hint"> for {span(of.heardMs)}</span>}
      </span>
    );
  },
  Version: ({ version }) => version && <code>{version}</code>,
  Up: ({ startedAt, heardMs }) => startedAt && span(Date.now() - Date.parse(startedAt) - heardMs),
  Runs: ({ runs, maxRuns }) => `${runs} of ${maxRuns}`,
  Sockets: ({ sockets }) => sockets,
  Streams: ({ streams }) => streams,
  Memory: ({ memoryBytes }) => sizeWords(memoryBytes),
  "Store, p50 / p95": ({ storeMs, storeP95Ms, storeErrors, storeCalls }) => (
    <span title={`${storeCalls} calls within the last minute`}>
      {[storeMs, storeP95Ms].filter((ms) => ms !== undefined).map((ms) => (ms! < 1 ? took(ms) : `≤ ${took(ms)}`)).join(" / ")}
      {storeErrors > 0 && <span className="fault"> {storeErrors} failed</span>}
    </span>
  ),
};

/** The servers that share the store. */
export function NodesSection() {
  const nodes = usePolled<Page<NodeInfo>>("/nodes", EVERY_MS);
  const items = nodes.data?.items ?? [];
  return (
    <section aria-labelledby="nodes">
      <h2 id="nodes">Servers</h2>
      <Unread error={nodes.error} shown={nodes.data !== undefined} needs={NEEDS} />
      {nodes.data?.partial && (
        <p className="hint" role="status" data-testid="nodes-partial">
          The store does not answer: other servers are shown as they were last heard of.
        </p>
      )}
      {items.length > 0 && (
        <StackedTable
          label="Servers"
          columns={COLUMNS}
          items={items}
          row={({ node, state }) => ({ key: node || "self", "data-testid": "node", "data-node": node, "data-state": state })}
        />
      )}
    </section>
  );
}
