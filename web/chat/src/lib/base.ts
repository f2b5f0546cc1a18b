// Where the server stands below its host. Paths of the page and of the server begin there.

let told: string | undefined;

/** "" at the root of the host, or a path such as "/agents", as the page's head tells it. */
export function base(): string {
  told ??= globalThis.document?.querySelector<HTMLMetaElement>('meta[name="aguiws:base"]')?.content ?? "";
  return told;
}

/** The path of a place or of the server, such as "/inbox", as browsers ask for it. */
export const at = (path: string): string => base() + path;
