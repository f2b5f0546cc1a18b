// Parts of a page about agents that ask: decisions, the inbox and the list of threads, and the hooks that they are made of.

export { Control, ControlError, type ControlAnswer, type ControlOptions } from "./control/control.js";
export type { News } from "./control/polled.js";
export type { Entry, InboxItem, Page, ThreadInfo } from "./control/types.js";
export { Decision, type DecisionProps } from "./decision/Decision.js";
export { DecisionForm, type DecisionFormProps } from "./decision/DecisionForm.js";
export type { Asker } from "./decision/Facts.js";
export type { Answer } from "./forms/answers.js";
export type { Keep } from "./forms/typed.js";
export { Inbox, type InboxProps } from "./inbox/Inbox.js";
export { useInbox, useQuestions, type InboxFilter, type InboxList, type InboxQuestion, type InboxThread } from "./inbox/useInbox.js";
export type { Timed } from "./lib/due.js";
export { FRAMES, stringify } from "./lib/json.js";
export { GERMAN } from "./lib/german.js";
export { ENGLISH, type Strings } from "./lib/strings.js";
export { useStrings, Words } from "./lib/words.js";
export { ThreadList, type ThreadListProps } from "./threads/ThreadList.js";
export { useThreads, type Threads } from "./threads/useThreads.js";
export { useInterrupts, type Interrupts, type OpenQuestion } from "./thread/useInterrupts.js";
export type { ThreadFault, ThreadPicture } from "./thread/threadstore.js";
export { useThread, type Thread, type ThreadOptions } from "./thread/useThread.js";
