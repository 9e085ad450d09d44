// Hands the samples of the microphone over, in pieces of about 40 ms. Runs on the audio thread.
class Recorder extends AudioWorkletProcessor {
  constructor() {
    super();
    this.piece = new Float32Array(Math.round(sampleRate / 25));
    this.filled = 0;
  }

  process(inputs) {
    const samples = inputs[0]?.[0];
    if (!samples) return true;
    for (const sample of samples) {
      this.piece[this.filled++] = sample;
      if (this.filled < this.piece.length) continue;
      this.port.postMessage(this.piece.slice());
      this.filled = 0;
    }
    return true;
  }
}

registerProcessor("recorder", Recorder);
