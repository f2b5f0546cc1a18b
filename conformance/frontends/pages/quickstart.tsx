// The page that docs/httpagent.md prints.

import { createRoot } from "react-dom/client";
import Chat from "../snippets/httpagent";
import "./page.css";

createRoot(document.getElementById("root")!).render(<Chat />);
