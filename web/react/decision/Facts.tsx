import type { ReactNode } from "react";
import { Ago } from "../lib/Ago.js";
import { Icon } from "../lib/Icon.js";
import { Marked } from "../lib/Marked.js";
import { useStrings } from "../lib/words.js";

/** Who asks, and since when, as far as that is known. */
export interface Asker {
  user?: string;
  agent?: string;
  since?: string;
}

/** What an agent is called that nobody has named. */
const UNNAMED = "agent";

/** Below a heading: by which tool it would be done, who asks, which agent, and since when. */
export function Facts({ tool, asker: { user, agent: named, since } = {}, children }: { tool?: string; asker?: Asker; children?: ReactNode }) {
  const { decision: words } = useStrings();
  const agent = named === UNNAMED ? undefined : named;
  if (tool === undefined && user === undefined && agent === undefined && since === undefined && !children) return null;
  return (
    <p className="facts">
      {tool !== undefined && (
        <span className="name" title={words.tool}>
          <Icon name="tool" />
          <code>
            <bdi>
              <Marked text={tool} />
            </bdi>
          </code>
        </span>
      )}
      {user !== undefined && (
        <span>
          {words.askedBy}{" "}
          <bdi data-testid="inbox-asker">
            <Marked text={user} />
          </bdi>
        </span>
      )}
      {agent !== undefined && (
        <span>
          {words.agent}{" "}
          <bdi>
            <Marked text={agent} />
          </bdi>
        </span>
      )}
      {since !== undefined && <Ago at={since} />}
      {children}
    </p>
  );
}
