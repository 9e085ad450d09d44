// Says sentences one after the other, as they come; whoever interrupts is obeyed at once.
const RATE = 24_000; // of the samples that the server sends
const AHEAD = 2; // sentences asked for before they are needed
const FIRST_PIECE = 0.15; // seconds of sound before it begins

export class Mouth {
  private readonly waiting: string[] = [];
  private readonly asked: Promise<Response | null>[] = [];
  private readonly playing = new Set<AudioBufferSourceNode>();
  private leaving = new AbortController();
  private context: AudioContext | undefined;
  private at = 0;
  private working = false;

  constructor(private readonly changed: (speaking: boolean) => void, private readonly failed: (reason: string) => void) {}

  /** A browser lets a page speak only after somebody touched it: call this then. */
  wake(): void {
    this.context ??= new AudioContext();
    void this.context.resume();
  }

  say(sentence: string): void {
    this.waiting.push(sentence);
    this.ask();
    if (!this.working) void this.work();
  }

  /** Silence, now: what sounds, what is on its way and what was to come. */
  stop(): void {
    for (const source of this.playing) source.stop();
    this.playing.clear();
    this.waiting.length = 0;
    this.asked.length = 0;
    this.leaving.abort();
    this.leaving = new AbortController();
    this.at = 0;
    this.changed(false);
  }

  private ask(): void {
    const { signal } = this.leaving;
    while (this.waiting.length && this.asked.length < AHEAD) this.asked.push(this.sound(this.waiting.shift()!, signal));
  }

  private async sound(sentence: string, signal: AbortSignal): Promise<Response | null> {
    const body = JSON.stringify({ model: "reploop", input: sentence, voice: "default", response_format: "pcm" });
    try {
      const response = await fetch("/v1/audio/speech", { method: "POST", credentials: "same-origin", headers: { "Content-Type": "application/json" }, body, signal });
      if (response.ok) return response;
      const told = (await response.json().catch(() => null)) as { error?: { message?: string; text?: string } } | null;
      this.failed(told?.error?.message ?? told?.error?.text ?? "The server has no voice to answer with.");
    } catch {
      if (!signal.aborted) this.failed("The server does not answer. Is it still running?");
    }
    return null;
  }

  private async work(): Promise<void> {
    this.working = true;
    const { signal } = this.leaving;
    this.wake();
    while (this.asked.length && !signal.aborted) {
      const response = await this.asked[0]!;
      if (signal.aborted) break;
      this.asked.shift();
      this.ask();
      if (response?.body) await this.play(response.body, signal).catch(() => undefined);
    }
    if (!signal.aborted) await this.silence(signal);
    this.working = false;
    if (this.asked.length) void this.work();
  }

  /** Puts samples behind those that sound already, while they come. */
  private async play(body: ReadableStream<Uint8Array>, signal: AbortSignal): Promise<void> {
    const reader = body.getReader();
    let held = new Uint8Array(0);
    for (;;) {
      const { done, value } = await reader.read();
      if (signal.aborted) return void reader.cancel();
      if (value) {
        const joined = new Uint8Array(held.length + value.length);
        joined.set(held);
        joined.set(value, held.length);
        held = joined;
      }
      if (held.length >= RATE * 2 * FIRST_PIECE || (done && held.length > 1)) {
        const whole = held.length & ~1;
        this.schedule(held.slice(0, whole));
        held = held.slice(whole);
      }
      if (done) return;
    }
  }

  private schedule(bytes: Uint8Array): void {
    const context = this.context!;
    const samples = new Int16Array(bytes.buffer, 0, bytes.length / 2);
    const buffer = context.createBuffer(1, samples.length, RATE);
    const channel = buffer.getChannelData(0);
    samples.forEach((sample, place) => { channel[place] = sample / 32768; });
    const source = context.createBufferSource();
    source.buffer = buffer;
    source.connect(context.destination);
    this.at = Math.max(this.at, context.currentTime + 0.02);
    source.start(this.at);
    this.at += buffer.duration;
    this.playing.add(source);
    source.onended = () => { this.playing.delete(source); };
    this.changed(true);
  }

  /** Waits until all was said. */
  private async silence(signal: AbortSignal): Promise<void> {
    const left = () => this.at - (this.context?.currentTime ?? 0);
    while (!signal.aborted && !this.asked.length && left() > 0) await new Promise((done) => setTimeout(done, Math.min(200, left() * 1000 + 10)));
    if (!signal.aborted && !this.asked.length) this.changed(false);
  }
}
