import { type ReactNode, useState } from "react";
import { canShow, chosenAlerts, keepAlerts, playSound, type Choice } from "./alerts";

const REFUSED = "Your browser keeps this page from showing notifications. Allow them in its settings for this site, then turn them on here.";
const MISSING = "This browser does not offer notifications here. Most offer them over https only.";

/** How a person wants to be told of what waits. Nobody is asked for anything before that is turned on. */
export function AlertChoice() {
  const [choice, setChoice] = useState(allowed);
  const [fault, setFault] = useState<string>();
  const set = (some: Partial<Choice>) => {
    // Another tab may have chosen meanwhile.
    const now = { ...chosenAlerts(), ...some };
    setChoice(now);
    keepAlerts(now);
  };
  const desktop = async (on: boolean) => {
    setFault(undefined);
    if (!on) return set({ desktop: false });
    if (!("Notification" in window)) return setFault(MISSING);
    if ((await Notification.requestPermission()) !== "granted") return setFault(REFUSED);
    if (!canShow()) return setFault(MISSING);
    set({ desktop: true });
  };
  const sound = (on: boolean) => {
    set({ sound: on });
    // It is heard what was chosen; and the browser has seen a person choose it.
    if (on) playSound();
  };
  return (
    <fieldset>
      <legend>When a chat is waiting and you are not looking at this page</legend>
      <Switch label="Show a desktop notification" hook="alert-desktop" on={choice.desktop} set={(yes) => void desktop(yes)} />
      <Switch label="Play a sound" hook="alert-sound" on={choice.sound} set={sound} />
      {fault && (
        <p className="fault" role="alert" data-testid="alert-refused">
          {fault}
        </p>
      )}
    </fieldset>
  );
}

/** What was chosen, as far as the browser still allows it. */
function allowed(): Choice {
  const { desktop, sound } = chosenAlerts();
  return { desktop: desktop && "Notification" in window && Notification.permission === "granted", sound };
}

function Switch({ label, hook, on, set }: { label: string; hook: string; on: boolean; set: (on: boolean) => void }): ReactNode {
  return (
    <label className="check">
      <input type="checkbox" role="switch" checked={on} data-testid={hook} onChange={(event) => set(event.target.checked)} />
      <span>{label}</span>
    </label>
  );
}
