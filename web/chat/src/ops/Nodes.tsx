import type { ReactNode } from "react";
import { usePolled, type Page } from "../server/api";
import { Unread } from "./Backlog";
import { span } from "./backlogs";
import { nodeName, nodeState, took, type NodeInfo } from "./nodes";
import { sizeWords } from "../../../react/lib/size";
import { StackedTable } from "../lib/StackedTable";
import { parts } from "../words";
import { ops } from "../words/ops";

const EVERY_MS = 3_000;

/** What is shown of a node; where there is no room beside one another, each under its title. */
const COLUMNS: Record<string, (of: NodeInfo) => ReactNode> = {
  [ops.node.server]: ({ self, ...of }) => (
    <span>
      <code title={of.node}>{nodeName(of) || ops.thisServer}</code> {self && <span className="hint">{ops.answersYou}</span>}
    </span>
  ),
  [ops.node.state]: (of) => {
    const { words, tone } = nodeState(of);
    return (
      <span>
        <span className={`tag ${tone}`}>{words}</span>
        {of.state === "silent" && <span className="hint"> {ops.silentFor(span(of.heardMs))}</span>}
      </span>
    );
  },
  [ops.node.version]: ({ version }) => version && <code>{version}</code>,
  [ops.node.up]: ({ startedAt, heardMs }) => startedAt && span(Date.now() - Date.parse(startedAt) - heardMs),
  [ops.node.runs]: ({ runs, maxRuns }) => ops.nOf(runs, maxRuns),
  [ops.node.sockets]: ({ sockets }) => sockets,
  [ops.node.streams]: ({ streams }) => streams,
  [ops.node.memory]: ({ memoryBytes }) => sizeWords(memoryBytes, parts),
  [ops.node.store]: ({ storeMs, storeP95Ms, storeErrors, storeCalls }) => (
    <span title={ops.storeCalls(storeCalls)}>
      {[storeMs, storeP95Ms].filter((ms) => ms !== undefined).map((ms) => (ms! < 1 ? took(ms) : `≤ ${took(ms)}`)).join(" / ")}
      {storeErrors > 0 && <span className="fault"> {ops.storeErrors(storeErrors)}</span>}
    </span>
  ),
};

/** The servers that share the store. */
export function NodesSection() {
  const nodes = usePolled<Page<NodeInfo>>("/nodes", EVERY_MS);
  const items = nodes.data?.items ?? [];
  return (
    <section aria-labelledby="nodes">
      <h2 id="nodes">{ops.places.servers}</h2>
      <Unread error={nodes.error} shown={nodes.data !== undefined} />
      {nodes.data?.partial && (
        <p className="hint" role="status" data-testid="nodes-partial">
          {ops.nodesPartial}
        </p>
      )}
      {items.length > 0 && (
        <StackedTable
          label={ops.places.servers}
          columns={COLUMNS}
          items={items}
          row={({ node, state }) => ({ key: node || "self", "data-testid": "node", "data-node": node, "data-state": state })}
        />
      )}
    </section>
  );
}
