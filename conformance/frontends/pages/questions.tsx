// The page of examples/assistant-ui, with the agent that the tests ask.

import { createRoot } from "react-dom/client";
import { Chat } from "../../../examples/assistant-ui/src/chat";
import { agent } from "./agent";

createRoot(document.getElementById("root")!).render(<Chat agent={agent} />);
