import { Fragment, type ReactNode } from "react";
import { usePolled, type Page } from "../server/api";
import { Rates } from "./Activity";
import { Unread } from "./Backlog";
import { span } from "./backlogs";
import { Facts } from "./Facts";
import { countWords, loadWords, nodeAbout, nodeName, nodeState, took, type NodeInfo } from "./nodes";
import { sizeWords } from "../../../react/lib/size";
import { Copy } from "../lib/Copy";
import { visible } from "../../../react/lib/misleading";
import { StackedTable } from "../lib/StackedTable";
import { When } from "./When";
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
  [ops.node.since]: ({ startedAt, heardMs }) => startedAt && <When at={startedAt} plain after={`(${span(Date.now() - Date.parse(startedAt) - heardMs)})`} />,
  [ops.node.runs]: ({ runs }) => countWords(runs),
  [ops.node.load]: ({ runs, maxRuns }) => <span>{loadWords(runs, maxRuns)} <span className="hint">{ops.ofAll(countWords(maxRuns))}</span></span>,
  [ops.node.sockets]: ({ sockets }) => sockets,
  [ops.node.streams]: ({ streams }) => streams,
  [ops.node.memory]: ({ memoryBytes }) => sizeWords(memoryBytes, parts),
  [ops.node.store]: ({ storeMs, storeP95Ms, storeErrors }) => (
    <span>
      {[storeMs, storeP95Ms].filter((ms) => ms !== undefined).map((ms) => (ms! < 1 ? took(ms) : `≤ ${took(ms)}`)).join(" / ")}
      {storeErrors > 0 && <span className="fault"> {ops.storeErrors(storeErrors)}</span>}
    </span>
  ),
};

/** What a node is for, what is to be done about it, and what it has done lately. */
function NodeMore({ of }: { of: NodeInfo }) {
  const { node, agents, storeCalls, storeErrors, rates } = of;
  const facts: Array<[string, ReactNode] | false | undefined | ""> = [
    agents.length > 0 && [ops.node.agents, agents.map((one, i) => <Fragment key={one}>{i > 0 && ", "}<code>{visible(one)}</code></Fragment>)],
    [ops.node.calls, [ops.storeCalls(countWords(storeCalls)), storeErrors > 0 && ops.storeErrors(storeErrors)].filter(Boolean).join(", ")],
    node && [ops.node.id, <span key="id"><code>{node}</code> <Copy text={node} label={ops.copyId(ops.node.id)} hook="copy-node" /></span>],
  ];
  return (
    <div className="of-node" data-testid="node-more">
      <p>{nodeAbout(of)}</p>
      <Facts facts={facts.filter((one): one is [string, ReactNode] => Boolean(one))} />
      {rates && of.state !== "silent" && <Rates nodes={[of]} />}
    </div>
  );
}

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
          more={(of) => <NodeMore of={of} />}
          opened={(of) => items.length === 1 || nodeState(of).tone !== "done"}
          row={({ node, state }) => ({ key: node || "self", "data-testid": "node", "data-node": node, "data-state": state })}
        />
      )}
    </section>
  );
}
