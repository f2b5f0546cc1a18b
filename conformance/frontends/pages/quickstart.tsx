// The page that docs/quickstart-frontend.md prints.

import { createRoot } from "react-dom/client";
import { Chat } from "../snippets/httpagent";
import "./page.css";

createRoot(document.getElementById("root")!).render(<Chat />);
