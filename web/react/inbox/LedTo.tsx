import { useEffect, useState } from "react";
import type { Control } from "../control/control.js";
import type { InboxItem } from "../control/types.js";
import { Paragraph } from "../lib/Folded.js";
import { Marked } from "../lib/Marked.js";
import { useStrings } from "../lib/words.js";

/** A message as whoever may answer is shown it. */
interface Said {
  id: string;
  role: string;
  name?: string;
  text: string;
  truncated?: boolean;
  media?: number;
}

interface Page {
  items: readonly Said[];
  older?: boolean;
}

export interface LedToProps {
  control: Control;
  item: Pick<InboxItem, "threadId" | "namespace" | "agent">;
  /** One of the open questions. */
  interrupt: string;
}

/** What was said last before a question. It is asked for once; nobody needs it to answer. */
export function LedTo({ control, item: { threadId, namespace, agent }, interrupt }: LedToProps) {
  const { list: words } = useStrings();
  const [asked, ask] = useState(0);
  const path = `/threads/${encodeURIComponent(threadId)}/interrupts/${encodeURIComponent(interrupt)}/messages?namespace=${encodeURIComponent(namespace)}`;
  const [got, set] = useState<{ path: string; page?: Page }>();
  useEffect(() => {
    let over = false;
    control.call<Page>("GET", path).then(
      (page) => over || set({ path, page }),
      () => over || set({ path }),
    );
    return () => {
      over = true;
    };
  }, [control, path, asked]);
  const told = got?.path === path ? got : undefined;
  const page = told?.page;
  if (page?.items.length === 0) return null;
  return (
    <section className="led-to" aria-label={words.before} data-testid="led-to">
      <h3>{words.before}</h3>
      {!told && (
        <p className="hint" role="status">
          {words.loading}
        </p>
      )}
      {told && !page && (
        <p className="hint" role="status" data-testid="led-to-fault">
          {words.beforeUnknown}{" "}
          <button type="button" className="quiet" data-edits onClick={() => ask(asked + 1)}>
            {words.again}
          </button>
        </p>
      )}
      {page && (
        <ol tabIndex={0} aria-label={words.before}>
          {page.older && <li className="hint">{words.earlier}</li>}
          {page.items.map(({ id, role, name, text, truncated, media = 0 }) => (
            <li key={id} data-testid="led-to-message" data-role={role}>
              <span className="hint">
                <Marked text={name || (role === "user" ? words.user : agent || words.agent)} />
              </span>
              {text !== "" && <Paragraph text={truncated ? `${text}…` : text} label={words.before} />}
              {media > 0 && <span className="hint">{words.media(media)}</span>}
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
