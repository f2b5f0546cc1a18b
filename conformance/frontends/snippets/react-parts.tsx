import { Control, DecisionForm, GERMAN, Inbox, ThreadList, Words, type Strings } from "@aguiws/react";
import { useEffect, useState } from "react";

const german: Strings = { ...GERMAN, locale: "de-AT", answer: { ...GERMAN.answer, approve: "Genehmigen" } };
const control = new Control({ url: "http://127.0.0.1:8080/v1", token: () => sessionStorage.getItem("token") ?? undefined, strings: () => german });
const invoice = { type: "object", properties: { amount: { type: "number", minimum: 0 }, due: { type: "string", format: "date" } }, required: ["amount"] };

export function Office({ current, show, pay }: { current: string; show: (threadId: string) => void; pay: (invoice: unknown) => void }) {
  const [own, setOwn] = useState<string>();   // the namespace of the reader's threads
  useEffect(() => void control.call<{ namespace: string }>("GET", "/me").then((me) => setOwn(me.namespace), () => {}), []);
  return (
    <Words strings={german}>
      <ThreadList control={control} current={current} onPick={show} />
      <Inbox control={control} filter={{ tool: "pay" }} linkTo={(threadId, namespace) => namespace === own && <a href={`/?thread=${threadId}`}>Chat</a>} />
      <DecisionForm schema={invoice} onAnswer={pay} />
    </Words>
  );
}
