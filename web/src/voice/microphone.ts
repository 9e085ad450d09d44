// What the microphone hears: samples, how loud they are, and a WAV file of them.
import worklet from "./recorder-worklet.js?url";

export const EAR_RATE = 16_000;

/** Why there is no microphone, in one sentence that says what to do. */
export class NoMicrophone extends Error {}

const REFUSED: Record<string, string> = {
  NotAllowedError: "The browser may not use the microphone here. Allow it for this page, in the browser's settings beside the address.",
  NotFoundError: "No microphone was found. Plug one in, or type.",
  NotReadableError: "Another program has the microphone. Close that, or type.",
};
const INSECURE =
  "Browsers give the microphone only to secure pages. Start the server with “interpreter serve --tls” (or with a certificate of your own: --certificate FILE --key FILE) and open its https link.";

export class Microphone {
  private readonly pieces: Float32Array[] = [];
  private length = 0;

  private constructor(private readonly stream: MediaStream, private readonly context: AudioContext, private readonly hear: (loudness: number) => void) {}

  /** Begin to listen; `hear` is told how loud it is, from 0 to 1, some 25 times a second. */
  static async open(hear: (loudness: number) => void): Promise<Microphone> {
    if (!isSecureContext || !navigator.mediaDevices) throw new NoMicrophone(INSECURE);
    let stream: MediaStream;
    try {
      stream = await navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1, echoCancellation: true, noiseSuppression: true } });
    } catch (error) {
      const name = error instanceof DOMException ? error.name : "";
      throw new NoMicrophone(REFUSED[name] ?? "The microphone could not be opened. Another browser may do it.");
    }
    const microphone = new Microphone(stream, new AudioContext(), hear);
    await microphone.connect();
    return microphone;
  }

  private async connect(): Promise<void> {
    await this.context.audioWorklet.addModule(worklet);
    const node = new AudioWorkletNode(this.context, "recorder", { numberOfOutputs: 0 });
    node.port.onmessage = (event: MessageEvent<Float32Array>) => {
      this.pieces.push(event.data);
      this.length += event.data.length;
      this.hear(loudness(event.data));
    };
    this.context.createMediaStreamSource(this.stream).connect(node);
  }

  get seconds(): number {
    return this.length / this.context.sampleRate;
  }

  /** All that was heard so far. */
  recording(): Blob {
    const whole = new Float32Array(this.length);
    let at = 0;
    for (const piece of this.pieces) {
      whole.set(piece, at);
      at += piece.length;
    }
    return wav(resampled(whole, this.context.sampleRate, EAR_RATE), EAR_RATE);
  }

  close(): void {
    for (const track of this.stream.getTracks()) track.stop();
    void this.context.close();
  }
}

/** From silence, 0, to as loud as it gets, 1, as ears have it. */
function loudness(samples: Float32Array): number {
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  const decibels = 10 * Math.log10(sum / samples.length + 1e-9);
  return Math.min(1, Math.max(0, (decibels + 60) / 50));
}

/** Samples at a lower rate: each is the mean of those it stands for, which keeps whistles out. */
export function resampled(samples: Float32Array, from: number, to: number): Float32Array {
  if (from <= to) return samples;
  const step = from / to;
  const found = new Float32Array(Math.floor(samples.length / step));
  for (let place = 0; place < found.length; place++) {
    const first = Math.floor(place * step), end = Math.min(samples.length, Math.floor((place + 1) * step));
    let sum = 0;
    for (let at = first; at < end; at++) sum += samples[at]!;
    found[place] = sum / (end - first);
  }
  return found;
}

/** Samples as a WAV file of one channel. */
export function wav(samples: Float32Array, rate: number): Blob {
  const head = new DataView(new ArrayBuffer(44));
  const write = (at: number, text: string) => [...text].forEach((letter, place) => head.setUint8(at + place, letter.charCodeAt(0)));
  write(0, "RIFF");
  head.setUint32(4, 36 + samples.length * 2, true);
  write(8, "WAVEfmt ");
  head.setUint32(16, 16, true);
  head.setUint16(20, 1, true);
  head.setUint16(22, 1, true);
  head.setUint32(24, rate, true);
  head.setUint32(28, rate * 2, true);
  head.setUint16(32, 2, true);
  head.setUint16(34, 16, true);
  write(36, "data");
  head.setUint32(40, samples.length * 2, true);
  const body = new Int16Array(samples.length); // little-endian, as all machines with browsers are
  samples.forEach((sample, place) => { body[place] = Math.max(-1, Math.min(1, sample)) * 32767; });
  return new Blob([head.buffer, body.buffer], { type: "audio/wav" });
}
