import { useMay } from "../server/who";
import { words } from "../words";
import { en } from "../words/en";

/** What to do about it, as whoever serves the page put it there, or else in the page's words: those of the command are the same. */
function advice(): string {
  const said = document.querySelector<HTMLMetaElement>('meta[name="aguiws:keep"]')?.content;
  return said && said !== en.chat.keepAdvice ? said : words.chat.keepAdvice;
}

/** A line that says that what is kept ends with the server, to those who may do something about it. */
export function MemoryNotice() {
  if (!useMay("admin")) return null;
  return (
    <p className="hint" data-testid="durable-banner">
      {words.chat.inMemory} {advice()}
    </p>
  );
}
