// What a page can do on a phone: the system's own controls silence the voice, also on a locked
// screen, and the screen stays on while somebody talks, because a page that sleeps hears nothing.
let held: WakeLockSentinel | undefined;
let wanted = false;

/** Tell the system that something is being said, and what its pause and stop do. */
export function announce(speaking: boolean, stop: () => void): void {
  const session = "mediaSession" in navigator ? navigator.mediaSession : null;
  if (!session) return;
  session.playbackState = speaking ? "playing" : "none";
  session.metadata = speaking ? new MediaMetadata({ title: "Answer", artist: document.title }) : null;
  for (const action of ["pause", "stop"] as const) session.setActionHandler(action, speaking ? stop : null);
}

/** Keep the screen on, or not any more; where the system refuses, it goes off as always. */
export async function stayAwake(yes: boolean): Promise<void> {
  wanted = yes;
  if (!yes) {
    const lock = held;
    held = undefined;
    await lock?.release();
    return;
  }
  if (!("wakeLock" in navigator)) return;
  const lock = await navigator.wakeLock.request("screen").catch(() => undefined);
  if (wanted) held = lock;
  else await lock?.release();
}
