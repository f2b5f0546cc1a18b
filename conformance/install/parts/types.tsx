// What an application takes from the package, by its types.

import type { Interrupt, ResumeEntry } from "@ag-ui/client";
import { Decision, DecisionForm, ENGLISH, Inbox, ThreadList, Words, type Control, type Strings } from "@aguiws/react";

const strings: Strings = { ...ENGLISH, locale: "de", decision: { ...ENGLISH.decision, asks: "Gefragt" } };

export function Page({ control, interrupt, answer }: { control: Control; interrupt: Interrupt; answer: (entry: ResumeEntry) => void }) {
  return (
    <Words strings={strings}>
      <Decision interrupt={interrupt} onAnswer={answer} toolCall={{ name: "send_email", arguments: "{}" }} />
      <DecisionForm schema={{ type: "object", properties: { to: { type: "string" } } }} onAnswer={(payload: unknown) => void payload} />
      <Inbox control={control} linkTo={(threadId) => <a href={`/?thread=${threadId}`}>Chat</a>} />
      <ThreadList control={control} onPick={(threadId: string) => void threadId} />
    </Words>
  );
}
