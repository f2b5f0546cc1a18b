// The inbox, the list of threads and a form as the package's README prints them, in another language.

import { useState } from "react";
import { Office } from "../snippets/react-parts";
import { threadId } from "./agent";

export default function Page() {
  const [paid, pay] = useState<unknown>();
  return (
    <>
      <Office current={threadId} show={(id) => location.assign(`?with=office&thread=${id}`)} pay={pay} />
      {paid !== undefined && <output>{JSON.stringify(paid)}</output>}
    </>
  );
}
