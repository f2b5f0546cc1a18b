import type { ControlError } from "./control.js";
import { useStrings } from "../lib/words.js";

/** What is said in the place of a list, or above one that may be old. `nothing`: that it is empty. */
export function Told({ items, error, nothing }: { items: readonly unknown[] | undefined; error: ControlError | undefined; nothing: string }) {
  const { list: words } = useStrings();
  return (
    <>
      {error && (
        <p className="fault" role="alert">
          {words.notAsked(error.message)}
        </p>
      )}
      {!items && !error && <p className="hint">{words.loading}</p>}
      {items?.length === 0 && <p className="hint">{nothing}</p>}
    </>
  );
}
