import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Words } from "../../react/lib/words";
import { App } from "./App";
import "./styles.css";
import { firstLook } from "./server/who";
import { watchPointer } from "./lib/pointed";
import { chosenTheme, showTheme } from "./lib/theme";
import { parts, speak } from "./words";
import { showDirection } from "./words/language";

showTheme(chosenTheme());
showDirection();
watchPointer();
void Promise.all([speak(), firstLook()]).then(() =>
  createRoot(document.getElementById("root")!).render(
    <StrictMode>
      <Words strings={parts}>
        <App />
      </Words>
    </StrictMode>,
  ),
);
