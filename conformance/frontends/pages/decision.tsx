// <Decision> of @aguiws/react draws the questions of other people's frontends, and of none.

import { lazy, Suspense } from "react";
import { createRoot } from "react-dom/client";
import "@aguiws/react/styles.css";

const chats = {
  copilotkit: lazy(() => import("./decision-copilotkit")),
  own: lazy(() => import("./decision-own")),
  office: lazy(() => import("./decision-office")),
};
const Chat = chats[new URLSearchParams(location.search).get("with") as keyof typeof chats];

createRoot(document.getElementById("root")!).render(<Suspense><Chat /></Suspense>);
