import { line } from "./nodes";

const WIDTH = 120;
const HEIGHT = 24;

/** A line that says how something went lately. `label` says it in words, for who does not see it. Time goes from left to right, whatever the direction of the text. */
export function Sparkline({ series, label }: { series: readonly number[]; label: string }) {
  return (
    <svg className="sparkline" viewBox={`0 -2 ${WIDTH} ${HEIGHT + 4}`} preserveAspectRatio="none" role="img" aria-label={label} data-testid="sparkline">
      {series.length > 1 && <polyline points={line(series, WIDTH, HEIGHT)} fill="none" stroke="currentColor" strokeWidth="1.5" vectorEffect="non-scaling-stroke" />}
    </svg>
  );
}
