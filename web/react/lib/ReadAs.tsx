import { isUnclear, numberFor, numberIn } from "./decimal.js";
import { useStrings } from "./words.js";

/** How a number was read that others would read as another one. */
export function ReadAs({ text }: { text: string }) {
  const { locale, form } = useStrings();
  const read = isUnclear(text, locale) ? numberIn(text, locale) : undefined;
  return (
    read !== undefined && (
      <span className="hint" role="status">
        {form.readAs(numberFor(read, locale))}
      </span>
    )
  );
}
