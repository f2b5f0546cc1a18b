// Times in words.

const STEPS: Array<[seconds: number, unit: Intl.RelativeTimeFormatUnit]> = [
  [86_400, "day"],
  [3_600, "hour"],
  [60, "minute"],
];

const words = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** How long ago something was: "5 minutes ago", "yesterday". */
export function ago(time: string | undefined, now = Date.now()): string {
  const at = Date.parse(time ?? "");
  if (Number.isNaN(at)) return "";
  const seconds = Math.round((at - now) / 1_000);
  for (const [step, unit] of STEPS) {
    if (Math.abs(seconds) >= step) return words.format(Math.trunc(seconds / step), unit);
  }
  return "just now";
}
