import { useState, type PointerEvent } from "react";
import { span } from "./backlogs";
import { countWords, line } from "./nodes";
import { ops } from "../words/ops";

const WIDTH = 120;
const HEIGHT = 24;

interface Props {
  series: readonly number[];
  /** What time one number is of. */
  everyMs: number;
  /** Says it in words, for who does not see it. */
  label: string;
}

/** A line that says how something went lately, with its scale, if there is more than one number. A pointer on it reads one number. Time goes from left to right, whatever the direction of the text. */
export function Sparkline({ series, everyMs, label }: Props) {
  const [at, look] = useState<number>();
  if (series.length < 2) return null;
  const onPointerMove = (event: PointerEvent<SVGSVGElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    look(Math.min(series.length - 1, Math.max(0, Math.round(((event.clientX - left) / width) * (series.length - 1)))));
  };
  const one = at === undefined ? undefined : series[at];
  const most = Math.max(0, ...series);
  const x = ((at ?? 0) * WIDTH) / (series.length - 1);
  return (
    <>
      <span className="hint scale" aria-hidden="true" data-testid="scale">
        {one !== undefined ? `${countWords(one)}, ${at === series.length - 1 ? ops.now : ops.ago(span((series.length - 1 - at!) * everyMs))}` : most > 0 && ops.atMost(countWords(most), span(everyMs))}
      </span>
      <svg className="sparkline" viewBox={`0 -2 ${WIDTH} ${HEIGHT + 4}`} preserveAspectRatio="none" role="img" aria-label={label} data-testid="sparkline" onPointerMove={onPointerMove} onPointerLeave={() => look(undefined)}>
        <path className="grid" d={`M0 0H${WIDTH}M0 ${HEIGHT}H${WIDTH}`} vectorEffect="non-scaling-stroke" />
        <polyline points={line(series, WIDTH, HEIGHT)} fill="none" stroke="currentColor" strokeWidth="1.5" vectorEffect="non-scaling-stroke" />
        {one !== undefined && <line x1={x} x2={x} y1={-2} y2={HEIGHT + 2} stroke="currentColor" strokeWidth="1" vectorEffect="non-scaling-stroke" />}
      </svg>
      <span className="hint axis" aria-hidden="true">
        <span>{ops.ago(span(series.length * everyMs))}</span>
        <span>{ops.now}</span>
      </span>
    </>
  );
}
