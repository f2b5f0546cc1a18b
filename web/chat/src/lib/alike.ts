/** The names that several of these have. */
export function alike(names: readonly string[]): ReadonlySet<string> {
  return new Set(names.filter((name, i) => names.indexOf(name) !== i));
}
