// Single keys for what one does often, while no field has the focus.
import { focusComposer, toggleTalk } from "./composer";
import { asking, dialog, drawer, entry, newSession, opened, panel, type Panel, running } from "./store";

function toggle(name: Panel): void {
  panel.value = panel.value === name ? null : name;
}

const KEYS: Record<string, () => void> = {
  "?": () => { dialog.value = { kind: "keys" }; },
  "/": focusComposer,
  c: () => { newSession(); focusComposer(); },
  f: () => toggle("files"),
  v: () => toggle("variables"),
  s: () => { drawer.value = true; requestAnimationFrame(() => document.getElementById("session-search")?.focus()); },
  q: () => { if (asking.value) document.querySelector<HTMLElement>(".ask")?.focus(); },
  m: () => void toggleTalk(),
  u: undoLast,
};

function undoLast(): void {
  const block = opened.value?.conversation.value.blocks().findLast((one) => one.checkpoint);
  if (block && !running.value) dialog.value = { kind: "undo", block, files: [] };
}

function takesText(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) || target.shadowRoot !== null);
}

export function listenToKeys(): void {
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || entry.value !== "in") return;
    if (event.key === "Escape" && !dialog.value) {
      drawer.value = false;
      return;
    }
    const act = KEYS[event.key];
    if (!act || takesText(event.target) || dialog.value) return;
    event.preventDefault();
    act();
  });
}
