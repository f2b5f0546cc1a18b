import { visible } from "../../../react/lib/misleading";

interface Props {
  label: string;
  hook: string;
  /** What is chosen; empty for everything. */
  value: string;
  /** What everything is called. */
  all: string;
  /** What can be chosen beside it; the menu is left out where that is undefined. */
  values: readonly string[] | undefined;
  /** A value in words; left out where it is its own name. */
  words?: (value: string) => string;
  choose: (value: string) => void;
}

/** A filter by one of several values. */
export function Menu({ label, hook, value, all, values, words = visible, choose }: Props) {
  if (!values) return null;
  return (
    <label className="filter">
      <span className="hint">{label}</span>
      <select value={value} data-testid={hook} onChange={(event) => choose(event.target.value)}>
        <option value="">{all}</option>
        {values.map((one) => (
          <option key={one} value={one}>
            {words(one)}
          </option>
        ))}
      </select>
    </label>
  );
}
