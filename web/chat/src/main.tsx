import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./App";
import "./styles.css";
import { firstLook } from "./server/who";
import { chosenTheme, showTheme } from "./lib/theme";

showTheme(chosenTheme());
void firstLook().then(() =>
  createRoot(document.getElementById("root")!).render(
    <StrictMode>
      <App />
    </StrictMode>,
  ),
);
