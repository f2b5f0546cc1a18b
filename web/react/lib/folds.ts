/** So much of a long text is shown before somebody asks for all of it, in characters. */
export const SHOWN = 4_096;
/** A text that is hardly longer is not worth folding. */
const FOLDED = SHOWN + SHOWN / 4;

/** Whether a text is so long that only its beginning is shown unasked. */
export function folds(text: string): boolean {
  return text.length > FOLDED;
}
