// Failures in words: what happened, and what can be done.

export interface Words {
  title: string;
  advice: string;
}

const WORDS: Record<string, Words> = {
  agent_error: { title: "The agent failed", advice: "You can send another message, or the same one again." },
  agent_protocol_violation: { title: "The agent broke the protocol", advice: "This is a fault of the agent; the run has ended." },
  agent_replay_diverged: {
    title: "The agent did not do the same again",
    advice: "Nothing was executed. The questions are open again where they were given back.",
  },
  run_timeout: { title: "The run took too long", advice: "It was ended. You can send the message again." },
  worker_lost: { title: "The server running this was lost", advice: "What was said is kept. You can send the message again." },
  upstream_truncated: { title: "The agent's answer broke off", advice: "What arrived is kept. You can send the message again." },
  interrupts_pending: { title: "A question is still open", advice: "Answer it or cancel it, then send your message." },
  interrupts_uncovered: { title: "A question was left out", advice: "All open questions have to be answered together." },
  interrupt_unknown: { title: "The question is not known here", advice: "Reload the page to see what is open." },
  interrupt_conflict: { title: "Answered already, differently", advice: "Somebody was faster; their answer counts." },
  interrupt_expired: { title: "The time to answer is over", advice: "The question can only be cancelled now." },
  interrupt_payload_invalid: { title: "The answer does not fit the question", advice: "Correct it and send it again." },
  thread_busy: { title: "Another run is in progress", advice: "Wait until it ends, or stop it." },
  rate_limited: { title: "Too many requests", advice: "Wait a moment, then try again." },
  server_draining: { title: "The server is shutting down", advice: "Try again in a moment." },
  store_unavailable: { title: "The store does not answer", advice: "Whether it was taken is unknown; sending it again is safe." },
  forbidden: { title: "Not allowed", advice: "This identity may not do this." },
  invalid_input: { title: "The server could not read the message", advice: "Reload the page; it may be older than the server." },
  input_too_large: { title: "The message is too large", advice: "Shorten it, or begin a new chat." },
  run_forgotten: { title: "The server has forgotten this run", advice: "Its store lost what it held. You can send the message again." },
  unacceptable_events: { title: "Events out of order", advice: "The conversation is loaded anew." },
  too_many_threads: { title: "Too many chats on one connection", advice: "Close one, then reload." },
  detached: { title: "This chat is gone", advice: "It was deleted. Begin a new one." },
  unknown_binding: { title: "Page and server do not fit", advice: "Reload the page." },
  malformed_frame: { title: "The server could not read what was sent", advice: "Reload the page; it may be older than the server." },
  invalid_frame: { title: "The server could not read what was sent", advice: "Reload the page; it may be older than the server." },
  no_websocket: { title: "This browser has no WebSockets", advice: "Open the page in one that has." },
  no_credential: { title: "Nobody is signed in", advice: "Connect again, or reload the page to sign in." },
  unauthenticated: { title: "The server does not know you", advice: "Sign in with another token." },
  bad_address: { title: "The server's address is none", advice: "Whoever runs this page has to correct it." },
  unreachable: { title: "The server does not answer", advice: "Try again in a moment." },
  client: { title: "This could not be sent", advice: "Reload the page if it happens again." },
};

/** Closes of a connection that would be closed the same way again. */
const CLOSES: Record<string, Words> = {
  1009: WORDS.input_too_large!,
  4401: { title: "Signed out", advice: "The token has expired or was revoked. Sign in with another." },
};

const CLOSED: Words = { title: "The server has closed the connection", advice: "Connect again, or reload the page if it happens again." };

/** What to say about a code; an unknown one speaks by its message. */
export function wordsFor(code: string): Words {
  if (/^\d{4}$/.test(code)) return CLOSES[code] ?? CLOSED;
  return WORDS[code] ?? { title: "Something went wrong", advice: "Try again, or reload the page." };
}

const RESTATED: Record<string, string> = {
  epoch_changed: "the server's store has begun a new history",
  trimmed: "too much had happened meanwhile",
  ahead: "the server's store has lost something",
};

/** Why a conversation was loaded anew; undefined when that is nothing to speak of. */
export function whyRestated(reason: string | undefined): string | undefined {
  return reason === undefined || reason === "no_position" ? undefined : (RESTATED[reason] ?? reason);
}
