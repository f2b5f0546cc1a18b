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

/** A run that was given up before the server is known to have taken it. @ag-ui/client swallows this name. */
export class AbortedBeforeSending extends Error {
  constructor() {
    super("the run was stopped before it was sent");
    this.name = "AbortError";
  }
}
