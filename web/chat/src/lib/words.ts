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
    advice: "No call was executed. Questions that were given back are open again.",
  },
  run_timeout: { title: "The run took too long", advice: "It was ended. You can send the message again." },
  worker_lost: { title: "The server running this was lost", advice: "The chat keeps what was said. You can send the message again." },
  upstream_truncated: { title: "The agent's answer broke off", advice: "The chat keeps what arrived. You can send the message again." },
  upstream_unavailable: { title: "The agent cannot be reached", advice: "The message did not reach it. Try again in a moment, or ask who runs it." },
  upstream_refused: { title: "The agent does not take this", advice: "Sending it again may not help. Ask who runs the server: its log says what the agent answered." },
  upstream_failed: { title: "The agent's server failed", advice: "You can send the message again." },
  upstream_timeout: { title: "The agent took too long", advice: "The chat keeps what arrived. You can send the message again." },
  upstream_too_large: { title: "The agent's answer is too large", advice: "The chat keeps what arrived. Ask for less at once." },
  upstream_content_type: { title: "Something else answered in the agent's place", advice: "Ask who runs the server: the agent's address may be wrong." },
  question_forgotten: { title: "The agent does not know the question any more", advice: "The answer was not used. Send the message again." },
  model_refused: { title: "The model does not take this", advice: "Sending it again may not help. If the server's key or settings are wrong, its operator has to change them." },
  model_rate_limited: { title: "The model has too much to do", advice: "The chat keeps what was said. Wait a moment, then send the message again." },
  model_unavailable: { title: "The model cannot be reached", advice: "The chat keeps what was said. You can send the message again, or ask who runs the server." },
  model_timeout: { title: "The model took too long", advice: "The chat keeps what arrived. You can send the message again." },
  model_truncated: { title: "The model's answer broke off", advice: "The chat keeps what arrived. You can send the message again, or ask for less at once." },
  interrupts_pending: { title: "A question is still open", advice: "Answer it or cancel it, then send your message." },
  interrupts_uncovered: { title: "A question was left out", advice: "All open questions have to be answered together." },
  interrupt_unknown: { title: "The question is not known here", advice: "Reload the page to see what is open." },
  interrupt_conflict: { title: "Answered already, differently", advice: "Somebody was faster; their answer counts." },
  interrupt_expired: { title: "The time to answer is over", advice: "The question can only be cancelled now." },
  interrupt_payload_invalid: { title: "The answer does not fit the question", advice: "Correct it and send it again." },
  interrupt_payload_too_complex: { title: "The answer cannot be checked", advice: "Make it smaller and send it again, or cancel the question." },
  login_not_found: { title: "There is no such sign-in", advice: "It was deleted already." },
  login_required: { title: "This needs a sign-in", advice: "Use the button in the question to open the service, or decline." },
  own_approval: {
    title: "Somebody else has to approve this",
    advice: "It comes from your own messages, and here nobody approves their own. Cancel it, or have another person answer.",
  },
  thread_busy: { title: "Another run is in progress", advice: "Wait until it ends, or stop it." },
  thread_too_large: { title: "This chat is as large as it may be", advice: "Start another chat, or take messages back; this one can still be read and deleted." },
  too_many_runs: { title: "Too many runs are under way", advice: "Wait until one of them ends, or stop it." },
  thread_quota: { title: "There is no room for another chat", advice: "Delete some, or go on in one of them." },
  rate_limited: { title: "Too many requests", advice: "Wait a moment, then try again." },
  server_draining: { title: "The server is shutting down", advice: "Try again in a moment." },
  state_corrupted: { title: "The stored chat cannot be read", advice: "Ask who runs the server. Sending again does not help; the chat can be deleted." },
  store_unavailable: { title: "The store does not answer", advice: "It may have been taken; sending it again is safe." },
  forbidden: { title: "Not allowed", advice: "This identity may not do this." },
  invalid_input: { title: "The server could not read the message", advice: "Reload the page; it may be older than the server." },
  input_too_large: { title: "The message is too large", advice: "Shorten it, or begin a new chat." },
  run_forgotten: { title: "The server has forgotten this run", advice: "Its store lost what it held. You can send the message again." },
  unacceptable_events: { title: "Events out of order", advice: "The conversation is loaded anew." },
  too_many_threads: { title: "Too many chats on one connection", advice: "Close one, then reload." },
  detached: { title: "This chat is gone", advice: "It was deleted. Begin a new one." },
  cancelled: { title: "The run was stopped", advice: "You can send another message." },
  malformed_frame: { title: "The server could not read what the page sent", advice: "This is a fault of the page. Reload it and try again." },
  invalid_frame: { title: "The server does not know what the page asked for", advice: "Reload the page; it may be older or newer than the server." },
  body_too_large: { title: "The request is too large", advice: "Shorten the answer or the message." },
  body_too_slow: { title: "The request took too long to arrive", advice: "Check the network, then try again." },
  method_not_allowed: { title: "The server does not do that", advice: "Reload the page; it may be older or newer than the server." },
  unsupported_media_type: { title: "The server does not take this form of request", advice: "Something between page and server may change requests. Reload the page." },
  unauthenticated: { title: "Not signed in", advice: "Sign in with a token that the server knows." },
  ambiguous_credential: { title: "Two credentials at once", advice: "Reload the page and sign in with one token." },
  authenticator_unavailable: { title: "The server cannot tell who you are", advice: "The service that checks tokens does not answer. Try again in a moment." },
  host_not_allowed: {
    title: "The server is not to be reached under this address",
    advice: "Open it under a name that it knows, or let its operator add this one with --hosts.",
  },
  origin_not_allowed: {
    title: "The server does not take this page's requests",
    advice: "Open the page that the server itself serves, or let its operator add this page's origin with --origins.",
  },
  loopback_only: {
    title: "This server lets in only those on its own machine",
    advice: "Open the page on that machine, or let its operator set up sign-in with --auth.",
  },
  origin_required: { title: "The request does not say which page it is from", advice: "Use a browser that says so, or sign in with a token." },
  unsupported_subprotocol: { title: "Page and server speak different protocols", advice: "Reload the page; it may be older or newer than the server." },
  upgrade_required: {
    title: "No WebSocket reached the server",
    advice: "A proxy between page and server does not pass WebSockets on. Its operator has to allow them.",
  },
  unknown_agent: { title: "The server has no such agent", advice: "Its operator can say which there are." },
  too_many_sockets: { title: "Too many connections", advice: "Close other tabs with this page, then connect again." },
  overloaded: { title: "The server has too much to do", advice: "Wait a moment, then try again." },
  unknown_binding: { title: "Page and server do not fit", advice: "Reload the page." },
  no_credential: { title: "There was no token to connect with", advice: "Connect again, or sign out and sign in." },
  no_websocket: { title: "This browser has no WebSockets", advice: "Use another browser, or allow them in this one." },
  bad_address: { title: "The address of the server is wrong", advice: "Reload the page from the address that the server serves it at." },
  unreachable: { title: "The server does not answer", advice: "Check the network and whether the server runs, then try again." },
  unreadable: { title: "Something else answered in the server's place", advice: "A proxy or another program may be in between. Reload the page." },
  thread_not_found: { title: "There is no such chat", advice: "It may have been deleted. Choose another or begin a new one." },
  run_not_found: { title: "There is no such run", advice: "It may have been deleted with its chat." },
  payload_not_found: { title: "There is no such value", advice: "It may have been deleted with its chat." },
  payload_expired: { title: "This was not kept for longer", advice: "Ask the agent to make it again." },
  interrupt_not_found: { title: "The question is not open any more", advice: "It was answered or given up elsewhere." },
  cannot_pause: { title: "This run cannot be paused", advice: "Its agent never comes to a step. Wait for the run, or stop it." },
  thread_in_use: { title: "The chat is in use", advice: "Stop what runs or waits in it first." },
  thread_has_children: { title: "Other chats are a part of it", advice: "Delete those first." },
  call_too_large: { title: "Another agent said too much", advice: "Ask for less." },
  call_too_deep: { title: "Agents call each other too deeply", advice: "Ask for it in another way." },
  tree_full: { title: "There is no room for another part of the chat", advice: "Delete some that are below it." },
  namespace_full: { title: "There is no room for more chats that have others below them", advice: "Delete some." },
  thread_exists: { title: "There is such a chat already", advice: "Choose another id." },
  version_conflict: { title: "It was changed elsewhere", advice: "Look again, and change what is there now." },
  thread_deleting: { title: "The chat is being deleted", advice: "Begin another one." },
  branch_gone: { title: "This version is not there any more", advice: "Reload the page to see what can be restored." },
  dispatch_gone: { title: "It was requeued or forgotten already", advice: "Look again; the list shows what is left." },
  webhook_not_found: { title: "There is no such webhook", advice: "It was sent or forgotten, or its target is not configured any more." },
  dispatch_duplicate: { title: "The same was begun already", advice: "There is nothing more to do." },
  internal_error: { title: "The server failed", advice: "Its log says why. Try again, or tell its operator." },
  not_found: { title: "The server has nothing there", advice: "Reload the page; it may be older or newer than the server." },
  refused: { title: "The server refused", advice: "Try again, or reload the page." },
  unsent: { title: "The page was loaded anew before it was sent", advice: "It may have been taken; sending it again is safe." },
  slow: { title: "The server takes long to answer", advice: "The page may show old data, and asks again by itself." },
  client: { title: "The page could not do that", advice: "Try again, or reload the page." },
  "1000": { title: "The connection was closed", advice: "Connect again when you like." },
  "1002": { title: "The connection broke the rules of WebSockets", advice: "Something between page and server may garble it. Connect again." },
  "1003": { title: "The server could not take what the page sent", advice: "This is a fault of the page. Reload it." },
  "1007": { title: "The server could not read the page's text", advice: "This is a fault of the page. Reload it." },
  "1009": { title: "The message was too large", advice: "Shorten the message or begin a new chat, then connect again." },
  "1010": { title: "Page and server could not agree on the connection", advice: "Reload the page; it may be older or newer than the server." },
  "1008": { title: "The connection was too slow", advice: "Try again on a better line." },
  "1011": { title: "The server failed", advice: "Connect again in a moment." },
  "1012": { title: "The server is restarting", advice: "Connect again in a moment." },
  "1013": { title: "The server has too much to do", advice: "Connect again in a moment." },
  "4400": { title: "The server gave the connection up", advice: "It could not read what the page sent. Reload the page, or connect again." },
  "4401": { title: "Signed out", advice: "The token has expired or was revoked. Sign in again." },
  "4408": { title: "The network was too slow", advice: "Connect again; nothing is lost." },
};

/** Closes that nobody expects, which are told by their numbers. */
const CLOSED: Words = { title: "The server has closed the connection", advice: "Connect again, or reload the page if it happens again." };

/** What to say about a code; an unknown one speaks by its message. */
export function wordsFor(code: string): Words {
  if (/^\d{4}$/.test(code)) return WORDS[code] ?? CLOSED;
  return WORDS[code] ?? { title: "Something went wrong", advice: "Try again, or reload the page." };
}

/** A server's message as a sentence that others can follow. */
export function sentence(message: string): string {
  const text = message.trim();
  return text === "" || /[.!?…]$/.test(text) ? text : `${text}.`;
}

/** What to say where nothing could be read; something is read again without anybody's doing. `shown`: what was read before is. */
export function staleWords({ code, message }: { code: string; message: string }, shown: boolean): string {
  if (code === "store_unavailable") return `The server's store does not answer. The page ${shown ? "shows what it read before, and " : ""}asks again by itself.`;
  return `${sentence(message)} ${wordsFor(code).advice}`;
}

const RESTATED: Record<string, string> = {
  epoch_changed: "the server's store has begun a new history without it",
  trimmed: "too much had happened meanwhile",
  ahead: "the server's store has lost it",
};

/** Why a conversation that was told anew has less in it than before; undefined when that is nothing to speak of. */
export function whyRestated(reason: string | undefined): string | undefined {
  return reason === undefined || reason === "no_position" ? undefined : (RESTATED[reason] ?? reason);
}
