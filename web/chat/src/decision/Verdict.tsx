import { Icon } from "../lib/Icon";
import type { IconName } from "../lib/icons";
import { Marked } from "../lib/Marked";
import type { Badge, Tone } from "./told";

const ICONS: Record<Tone, IconName> = { asked: "question", done: "check", late: "refuse", busy: "wait", "": "close" };

/** Badges in words, and on hover when it was decided. */
export function Verdict({ badges, at }: { badges: readonly Badge[]; at?: string }) {
  return (
    <span className="verdict" data-testid="verdict" title={at && new Date(at).toLocaleString()}>
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
}
