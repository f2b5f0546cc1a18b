/** The code of keys that an input method takes. */
const TAKEN = 229;

/** Whether a key is one of a character that is being composed. Safari ends the composition before it tells of the key that ends it. */
export function composes({ isComposing, keyCode }: Pick<KeyboardEvent, "isComposing" | "keyCode">): boolean {
  return isComposing || keyCode === TAKEN;
}
