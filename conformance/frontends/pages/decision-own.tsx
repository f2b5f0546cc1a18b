// The chat that the package's README prints, beside the inbox and the list of threads.

import { Control, Inbox, ThreadList } from "@aguiws/react";
import Chat from "../snippets/react";

const control = new Control({ url: "/v1" });
const current = new URLSearchParams(location.search).get("thread")!;

export default function Page() {
  return (
    <>
      <ThreadList control={control} current={current} onPick={(threadId) => location.assign(`?with=own&thread=${threadId}`)} />
      <Chat />
      <Inbox control={control} filter={{ thread: current }} />
    </>
  );
}
