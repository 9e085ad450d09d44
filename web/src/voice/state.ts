// What the page shows of talking; what listens and speaks is loaded when somebody does.
import { signal } from "@preact/signals";

export const talk = signal<"off" | "opening" | "listening" | "understanding">("off");
/** How loud it is, from 0 to 1. */
export const loudness = signal(0);
/** Words that were understood so far. */
export const partial = signal("");
/** Whether answers are spoken. */
export const aloud = signal(false);
/** Whether one is being spoken now. */
export const speaking = signal(false);

export const voice = () => import("./talk");
