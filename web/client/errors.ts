// Failures that are not events: what could not be said inside a run's stream.

/** The server cannot be used any more, or refused a frame; `code` is a close code or the binding's error code. */
export class TransportError extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
    this.name = "TransportError";
  }
}

/** The code of what a socket refuses that follows as many threads as it may. */
export const TOO_MANY_THREADS = "too_many_threads";

/** The server's refusal as an error, with what to do if only the application can do it. */
export function refusalOf(code: string, message: string): TransportError {
  if (code !== TOO_MANY_THREADS) return new TransportError(code, message);
  return new TransportError(
    code,
    `${message}: call what \`follow\` returned for one that is not shown any more, or give this agent a \`connection\` of its own, \`new Connection({ url })\``,
  );
}

/** A run that was given up before the server is known to have taken it. @ag-ui/client swallows this name. */
export class AbortedBeforeSending extends Error {
  constructor() {
    super("the run was stopped before it was sent");
    this.name = "AbortError";
  }
}
