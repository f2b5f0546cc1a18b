import { Ago } from "../../../react/lib/Ago";
import { Icon } from "../../../react/lib/Icon";
import type { IconName } from "../../../react/lib/icons";
import { Marked } from "../../../react/lib/Marked";
import type { Badge, Tone } from "./told";

const ICONS: Record<Tone, IconName> = { asked: "question", done: "check", late: "refuse", busy: "wait", "": "close" };

/** Badges in words, and how long ago it was decided. */
export function Verdict({ badges, at }: { badges: readonly Badge[]; at?: string }) {
  const said = (
    <span className="verdict" data-testid="verdict">
      {badges.map(({ words, tone }) => (
        <span key={words} className={`tag ${tone}`}>
          <Icon name={ICONS[tone]} />
          <bdi>
            <Marked text={words} />
          </bdi>
        </span>
      ))}
    </span>
  );
  if (at === undefined) return said;
  return (
    <span className="verdict-when">
      {said}
      <span className="hint">
        <Ago at={at} />
      </span>
    </span>
  );
}
