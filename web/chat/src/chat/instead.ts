// What a message does that is sent while the thread is suspended, in words.

import { waits } from "../../../react/forms/question";

export interface Instead {
  placeholder: string;
  button: string;
  /** Of the button that ends the run without a message. */
  stop: string;
  /** Enter was pressed, and nothing was sent. */
  unsent: string;
}

/** The words for open interrupts of these reasons. An agent that waits asks nobody, so that only questions are counted. */
export function insteadOf(reasons: readonly string[]): Instead {
  const asked = reasons.filter((reason) => !waits(reason)).length;
  if (asked === 0) {
    return {
      placeholder: "Write a message",
      button: "Stop waiting and send",
      stop: "Ends what the agent waits for, and the run",
      unsent: "Not sent: the agent waits, and a message ends that. Press the button to stop waiting and send.",
    };
  }
  const [questions, open] = asked === 1 ? ["the question", "a question is open, and a message cancels it"] : ["the questions", "questions are open, and a message cancels them"];
  return {
    placeholder: "Or write something else",
    button: `Cancel ${questions} and send`,
    stop: "Cancels what is asked and ends the run",
    unsent: `Not sent: ${open}. Answer above, or press the button to cancel and send.`,
  };
}
