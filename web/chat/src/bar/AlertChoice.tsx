import { type ReactNode, useState } from "react";
import { canShow, chosenAlerts, keepAlerts, playSound, type Choice } from "./alerts";
import { words } from "../words";

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
    if (!("Notification" in window)) return setFault(words.bar.alertsMissing);
    if ((await Notification.requestPermission()) !== "granted") return setFault(words.bar.alertsRefused);
    if (!canShow()) return setFault(words.bar.alertsMissing);
    set({ desktop: true });
  };
  const sound = (on: boolean) => {
    set({ sound: on });
    // It is heard what was chosen; and the browser has seen a person choose it.
    if (on) playSound();
  };
  return (
    <fieldset>
      <legend>{words.bar.whenWaiting}</legend>
      <Switch label={words.bar.showAlert} hook="alert-desktop" on={choice.desktop} set={(yes) => void desktop(yes)} />
      <Switch label={words.bar.playSound} hook="alert-sound" on={choice.sound} set={sound} />
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
