// The numbered events of a session: after a lost connection they go on where they stopped.
import { api } from "./api";
import type { LiveEvent } from "./events";

/** `Reset`: what comes after the number asked for is not kept; read the messages again. */
export type Numbered = (LiveEvent | { type: "Reset" }) & { n: number };

const FIRST_PAUSE = 250, LONGEST_PAUSE = 8000; // milliseconds before connecting again

export interface Listener {
  event(event: Numbered): void;
  connected(yes: boolean): void;
}

export class LiveEvents {
  private socket: WebSocket | undefined;
  private timer = 0;
  private pause = FIRST_PAUSE;
  private closed = false;

  constructor(private readonly session: string, private last: number, private readonly listener: Listener) {
    this.connect();
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
    this.socket?.close();
  }

  private connect(): void {
    const socket = new WebSocket(api.socketAddress(this.session, this.last));
    this.socket = socket;
    socket.onopen = () => {
      this.pause = FIRST_PAUSE;
      this.listener.connected(true);
    };
    socket.onmessage = (frame: MessageEvent<string>) => {
      if (this.closed) return;
      const event = JSON.parse(frame.data) as Numbered;
      if (event.type !== "Reset" && event.n <= this.last) return;
      this.last = Math.max(this.last, event.n);
      this.listener.event(event);
    };
    socket.onclose = () => {
      if (this.closed) return;
      this.listener.connected(false);
      this.timer = window.setTimeout(() => this.connect(), this.pause);
      this.pause = Math.min(LONGEST_PAUSE, this.pause * 2);
    };
  }
}
