import { useId, useState, type KeyboardEvent } from "react";
import { commandsFor, firstFor, type Command } from "./commands";
import { words } from "../words";

const intoView = (option: HTMLElement | null) => option?.scrollIntoView({ block: "nearest" });

/**
 * The commands that what is written may become. Enter or Tab writes the one into the field that is marked, which is the
 * first until an arrow goes to another. Enter sends what is a command already, and what is left with Escape.
 */
export function useSlashMenu(text: string, commands: readonly Command[], take: (command: string) => void) {
  const id = useId();
  const [at, setAt] = useState({ text: "", index: -1, left: false });
  const offered = commandsFor(text, commands);
  const here = at.text === text ? at : { text, index: firstFor(text, offered), left: false };
  const shown = offered.length > 0 && !here.left;
  const go = (index: number) => setAt({ text, index: (index + offered.length) % offered.length, left: false });
  const keyed = (event: KeyboardEvent): boolean => {
    if (!shown || event.shiftKey || event.altKey || event.ctrlKey || event.metaKey) return false;
    const chosen = offered[event.key === "Tab" ? Math.max(here.index, 0) : here.index];
    if (event.key === "ArrowDown") go(here.index + 1);
    else if (event.key === "ArrowUp") go(here.index < 0 ? offered.length - 1 : here.index - 1);
    else if (event.key === "Escape") setAt({ text, index: -1, left: true });
    else if ((event.key === "Enter" || event.key === "Tab") && chosen) take(chosen[0]);
    else return false;
    event.preventDefault();
    return true;
  };
  const field = shown ? { "aria-autocomplete": "list" as const, "aria-controls": id, ...(here.index >= 0 && { "aria-activedescendant": `${id}-${here.index}` }) } : {};
  const menu = shown && (
    <ul className="slash" role="listbox" tabIndex={0} id={id} aria-label={words.chat.commandList} data-testid="slash">
      {offered.map(([command, what], i) => (
        <li
          key={command}
          ref={i === here.index ? intoView : undefined}
          id={`${id}-${i}`}
          role="option"
          aria-selected={i === here.index}
          data-testid="slash-command"
          // The field keeps the focus.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => take(command)}
        >
          <code>{command}</code>
          <span>{words.chat.commands[what]}</span>
        </li>
      ))}
    </ul>
  );
  return { field, keyed, menu };
}
