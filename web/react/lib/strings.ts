// All words that the parts say by themselves. Whoever has them in another language passes a table of the same shape.

const counted = (bound: string, what: string) => `${bound} ${what}${bound === "1" ? "" : "s"}`;

/** What a decision says around the words of its agent. */
const decision = {
  headings: { tool_call: "Approval needed", input_required: "Input needed", confirmation: "Confirmation needed" } as Record<string, string>,
  /** Headings of what a server asks of its own accord. */
  own: {
    "aguiws:timer": "The agent waits",
    "aguiws:event": "The agent waits for an event",
    "aguiws:call": "The agent waits for another one",
    "aguiws:uncertain_step": "Did this happen?",
    "aguiws:question_forgotten": "The agent has forgotten its question",
    "aguiws:paused": "Paused",
    "aguiws:auth_required": "Sign-in needed",
  } as Record<string, string>,
  asks: "The agent asks",
  /** What the button says that gives up, where "cancel" says too little. */
  abandon: {
    "aguiws:paused": "End the run",
    "aguiws:auth_required": "Do not sign in",
    "aguiws:timer": "Stop waiting",
    "aguiws:event": "Stop waiting",
    "aguiws:call": "Stop the other agent",
  } as Record<string, string>,
  message: "Message",
  details: "Details from the agent",
  more: "More from the agent",
  argumentsOfCall: "Arguments of the call",
  proposed: "Proposed arguments",
  facts: "Known facts",
  expired: "The time to answer is over.",
  goOn: "Go on without an answer",
  change: "Change",
  theAnswer: "The answer",
  tool: "The tool",
  askedBy: "asked by",
  agent: "agent",
  noIsAnAnswer: "The agent is told no, and goes on",
  cancelGivesUp: "The agent is told that it gets no answer",
  noArguments: "No arguments",
  showJson: "Show JSON",
  asJson: (label: string) => `${label}, as JSON`,
  parts: (n: number) => (n === 1 ? "1 part" : `${n} parts`),
};

/** Answers, as they are given and as they are told. */
const answer = {
  cancelled: "Cancelled",
  answered: "Answered",
  declined: "Declined",
  approved: "Approved",
  edited: "Approved with edits",
  chosen: (label: string, about: string) => `Answered “${label}” to ${about}`,
  about: (label: string, about: string) => `${label} ${about}`,
  quoted: (about: string) => `“${about}”`,
  /** Answers that a schema offers, by their English words. Labels of an agent that are the same are told so, too. */
  choices: { Yes: "Yes", No: "No", Approve: "Approve", Decline: "Decline", "Go on": "Go on", Done: "Done", Confirm: "Confirm" } as Record<string, string>,
  yes: "Yes",
  no: "No",
  approve: "Approve",
  decline: "Decline",
  approveUnseen: (size: string) => `Approve with ${size} not shown`,
  edit: "Edit arguments",
  editJson: "Edit as JSON",
  editFields: "Edit as fields",
  approveEdited: "Approve with these",
  discardEdits: "Discard edits",
  arguments: "Arguments",
  keys: "Ctrl+Enter approves, Escape discards.",
  reason: "Reason",
  reasonHint: "(optional; the agent is told it with your answer)",
  reasonKeys: "Enter leads to the buttons, Escape leaves the field.",
  reasonTold: "The agent is told this with your answer.",
  twice: "Names a member twice:",
  twiceMeans: "Which of the values the tool takes is not known here.",
  notLoaded: "The rest of the question could not be loaded. Reload the page to answer it.",
  moreWith: "Say more with the answer",
  inOtherWords: "Answer in other words",
  asText: "Answer, as a text",
  asJson: "Answer, as JSON",
  sendText: "Send this text",
  sendJson: "Send this JSON",
  isJson: "It is JSON",
  signIn: (provider: string) => `Sign in at ${provider}`,
  somebodyElse: "This is for somebody else: it needs their account.",
  noTab: "The browser does not let this page open a tab. Allow it, and press the button again.",
  tooSoon: "This has only just changed. Press once more.",
};

const form = {
  answer: "Answer",
  send: "Send",
  loading: "Loading the form…",
  shape: "Shape of the answer",
  schema: "Schema of the answer",
  optional: "(optional)",
  choose: "Choose…",
  none: "None",
  atMost: (n: number) => (n === 1 ? "One at most" : `${n} at most`),
  addOne: "Add one",
  addMember: "Add a member",
  remove: "Remove",
  removeNumber: (n: number) => `Remove number ${n}`,
  clear: "Clear",
  json: "JSON",
  noNumber: "Write a number, such as 12.5.",
  unsupported: (reason: string) => `A form cannot ask for this: ${reason}. Go on without an answer if it is needed.`,
  readTwice: (name: string) => `The text names ${name} twice.`,
  noJson: "Write JSON, such as null, [] or {}.",
  notJson: (line: number) => `The text is not JSON. Line ${line} lacks a comma, a quote or a bracket, or has one too many.`,
  notObject: "The text must be a JSON object.",
};

/** What is wrong with an answer. Each follows the name of what is wrong. */
const fault = {
  theAnswer: "The answer",
  this: "This",
  told: (subject: string, faults: readonly string[]) => `${subject} ${faults.join(" and ")}.`,
  or: (ways: readonly string[]) => ways.join(" or "),
  required: "is required",
  type: (types: string) => `must be ${types}`,
  types: {
    string: "a text", number: "a number", integer: "a whole number", boolean: "true or false", array: "a list", object: "an object", null: "null",
  } as Record<string, string>,
  otherType: "of another type",
  format: (name: string | undefined) => `must be of the form ${name}`,
  minProperties: (n: string) => `must have at least ${counted(n, "member")}`,
  maxProperties: (n: string) => `must have at most ${counted(n, "member")}`,
  some: "some",
  /** By the keyword of the schema, with the bound that it sets. */
  bounds: {
    minLength: (bound) => `must have at least ${counted(bound, "character")}`,
    maxLength: (bound) => `must have at most ${counted(bound, "character")}`,
    minItems: (bound) => `must have at least ${counted(bound, "item")}`,
    maxItems: (bound) => `must have at most ${counted(bound, "item")}`,
    minimum: (bound) => `must be at least ${bound}`,
    maximum: (bound) => `must be at most ${bound}`,
    exclusiveMinimum: (bound) => `must be more than ${bound}`,
    exclusiveMaximum: (bound) => `must be less than ${bound}`,
    multipleOf: (bound) => `must be a multiple of ${bound}`,
  } as Record<string, (bound: string) => string>,
  /** By the keyword of the schema. */
  words: {
    enum: "must be one of the choices",
    const: "must be one of the choices",
    false: "is not expected",
    anyOf: "must fit one of several forms",
    oneOf: "must fit exactly one of several forms",
    contains: "must contain an item of another form",
    not: "must be something else",
    uniqueItems: "must not have an item twice",
  } as Record<string, string>,
  other: "must be as the question asks for it",
};

const text = {
  bytes: (n: string) => `${n} bytes`,
  hidden: (hidden: string, total: string) => `${hidden} of ${total} bytes are not shown.`,
  shown: (total: string) => `All ${total} bytes are shown.`,
  asSent: (size: string) => `As sent: ${size}.`,
  showAll: "Show all",
  showLess: "Show less",
  noDigest: "No digest: browsers compute it over https or on the server's own machine.",
  inFull: "In full",
  shorten: "Shorten",
  misleads: "Contains characters that can mislead:",
  misled: {
    latin: "mixes Latin letters with others that look like them",
    greek: "mixes Greek and Cyrillic letters",
    styled: "is written in letters of formulas",
    wide: "mixes narrow and wide letters",
    twins: "looks Latin, and is Cyrillic",
  },
  theWord: (why: string) => `the word ${why}`,
  more: (n: number) => `${n} more`,
  andMore: (first: string, n: number) => `${first} and ${n} more`,
  justNow: "just now",
  due: (when: string) => `due ${when}`,
  expired: "expired",
  someExpired: (n: number, of: number) => `${n} of ${of} expired`,
};

const list = {
  inbox: "Open questions",
  nothing: "No question waits for an answer.",
  chats: "Chats",
  noChats: "There are no chats.",
  untitled: "Untitled",
  loading: "Loading…",
  more: "Show more",
  moreWait: "More questions wait than are listed here.",
  answered: (n: number, of: number) => `${n} of ${of} answered`,
  back: "Back to the list",
  gone: "The question is not open any more.",
  corrupted: "The question cannot be read, so nobody can answer it here.",
  notAsked: (why: string) => `The list may be old: ${why}`,
  waitsForAgent: "waits for another agent",
  waitsForEvent: "waits for an event",
  sleeps: "sleeps",
  sleepsUntil: (when: string) => `sleeps until ${when}`,
  waiting: "waiting for you",
  working: "working",
  queued: "queued",
  failed: (when: string) => `failed ${when}`,
  expired: (when: string) => `question expired, ${when}`,
  before: "Messages before the question",
  beforeUnknown: "The messages before the question could not be loaded. It can be answered without them.",
  again: "Try again",
  earlier: "Earlier messages are not shown.",
  user: "User",
  agent: "Agent",
  media: (count: number) => (count === 1 ? "1 attachment" : `${count} attachments`),
};

/** What is said of a server that has not answered, or not as it should. */
const server = {
  noAnswer: "The server does not answer.",
  noAnswerYet: "The server has not answered yet.",
  notJson: (status: number) => `The server answered ${status} and something that is not JSON.`,
  answered: (status: number) => `The server answered ${status}.`,
};

/** The English table, which is what the parts say unless they are given another. `locale` writes numbers and times. */
export const ENGLISH = { locale: "en", decision, answer, form, fault, text, list, server };

/** A table of words. */
export type Strings = typeof ENGLISH;
