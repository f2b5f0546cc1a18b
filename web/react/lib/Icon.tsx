import { ICONS, type IconName } from "./icons.js";

/** An icon beside words, or in a button that has a name. It says nothing by itself. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={ICONS[name]} />
    </svg>
  );
}
