// Hold to talk: what is heard becomes the draft of a message, and answers are spoken as they come.
import { draft, focusComposer } from "../composer";
import type { Numbered } from "../live";
import { hearers, spoken, tell } from "../store";
import { announce, stayAwake } from "./awake";
import { Microphone, NoMicrophone } from "./microphone";
import { Mouth } from "./mouth";
import { questionSentence, resultSentence, Sentences } from "./sentences";
import { aloud, loudness, partial, speaking, talk } from "./state";

const LONGEST = 120; // seconds of one recording
const SHORTEST = 0.3;
const QUIET = 0.12; // loudness that no speech is below
const PARTIAL_PAUSE = 1200; // milliseconds between two looks at what was said so far
const PARTIAL_TAKES = 2500; // where a look takes longer, the machine has better things to do

let microphone: Microphone | null = null;
let loudest = 0;
let ending = false;
let timer = 0;
let complained = "";
let hushed = false; // somebody wants to hear no more of this turn

const mouth = new Mouth(
  (yes) => {
    if (speaking.value !== yes) announce(yes, hush);
    speaking.value = yes;
  },
  (reason) => {
    aloud.value = false;
    mouth.stop();
    if (complained !== reason) tell(reason, "error");
    complained = reason;
  },
);

/** Be silent now, also about what of this answer is still to come. */
function hush(): void {
  hushed = true;
  mouth.stop();
}

/** Listen; whoever speaks now is silent at once. */
export async function begin(): Promise<void> {
  hush();
  mouth.wake();
  if (talk.value !== "off") return;
  talk.value = "opening";
  partial.value = "";
  loudest = 0;
  ending = false;
  try {
    microphone = await Microphone.open(hear);
  } catch (error) {
    talk.value = "off";
    if (!(error instanceof NoMicrophone)) console.warn(error);
    return tell(error instanceof NoMicrophone ? error.message : "The microphone could not be opened.", "error");
  }
  talk.value = "listening";
  void stayAwake(true);
  spoken.value = "Listening.";
  if (ending) return end();
  timer = window.setTimeout(lookAtWords, PARTIAL_PAUSE);
}

function hear(now: number): void {
  loudness.value = now;
  loudest = Math.max(loudest, now);
  if (microphone && microphone.seconds > LONGEST) void end();
}

/** What is said so far, now and then, while it is said. */
async function lookAtWords(): Promise<void> {
  const listening = microphone;
  if (!listening || talk.value !== "listening") return;
  const start = performance.now();
  const text = loudest > QUIET ? await words(listening.recording()).catch(() => null) : "";
  if (microphone !== listening || talk.value !== "listening" || text === null) return;
  if (text) partial.value = text;
  if (performance.now() - start < PARTIAL_TAKES) timer = window.setTimeout(lookAtWords, PARTIAL_PAUSE);
}

/** Stop listening; what was said is put where it can be corrected, and sent. */
export async function end(): Promise<void> {
  ending = true;
  if (!microphone || talk.value !== "listening") return;
  clearTimeout(timer);
  talk.value = "understanding";
  const { seconds } = microphone;
  const recording = microphone.recording();
  microphone.close();
  microphone = null;
  void stayAwake(false);
  loudness.value = 0;
  try {
    if (seconds < SHORTEST) tell("Hold the button while you talk, or tap it once to begin and once to end.");
    else if (loudest < QUIET) tell("Nothing was heard. Is the microphone muted?", "error");
    else take(await words(recording));
  } catch (error) {
    tell(error instanceof Error ? error.message : String(error), "error");
  }
  talk.value = "off";
  partial.value = "";
}

function take(text: string): void {
  if (!text) return tell("No words were understood. Say it again, closer to the microphone.", "error");
  draft.value = [draft.value.trimEnd(), text].filter(Boolean).join(" ");
  aloud.value = true;
  complained = "";
  spoken.value = `Understood: ${text}`;
  focusComposer();
}

async function words(recording: Blob): Promise<string> {
  const form = new FormData();
  form.set("file", recording, "said.wav");
  form.set("model", "reploop");
  let response: Response;
  try {
    response = await fetch("/v1/audio/transcriptions", { method: "POST", credentials: "same-origin", body: form });
  } catch {
    throw new Error("The server does not answer. Is it still running?");
  }
  const told = (await response.json().catch(() => null)) as { text?: unknown; error?: { message?: string; text?: string } } | null;
  if (response.ok && typeof told?.text === "string") return told.text.trim();
  throw new Error(told?.error?.message ?? told?.error?.text ?? "This server cannot understand speech.");
}

/** Speak answers from now on, or not; either way be silent now. */
export function speakAnswers(yes: boolean): void {
  mouth.stop();
  hushed = false;
  aloud.value = yes;
  complained = "";
  if (yes) mouth.wake();
}

// What of a turn is said.

let sentences = new Sentences();
let block = { outcome: "", summary: "", files: 0, pictures: 0 };

function say(texts: readonly string[]): void {
  if (hushed || talk.value !== "off") return;
  for (const text of texts) mouth.say(text);
}

hearers.add((event: Numbered) => {
  if (!aloud.value) return;
  switch (event.type) {
    case "TurnStarted":
      mouth.stop();
      hushed = false;
      sentences = new Sentences();
      return;
    case "TextDelta":
      return say(sentences.add(event.text));
    case "ReplyFinished":
    case "ActionProposed":
      return say(sentences.end());
    case "ApprovalRequested":
      hushed = false; // a question is asked again
      return say([questionSentence(event.action)]);
    case "ActionStarted":
      block = { outcome: "", summary: "", files: 0, pictures: 0 };
      return;
    case "DisplayShown":
      block.pictures += event.display.faces.some((face) => face.media_type.startsWith("image/") || face.media_type === "text/html") ? 1 : 0;
      return;
    case "ExecutionFinished":
      block = { ...block, outcome: event.outcome, summary: event.summary };
      return;
    case "FilesChanged":
      block.files += event.changes.length;
      return;
    case "MessageFinished":
      if (event.message.role === "computer" && block.outcome) say([resultSentence(block.outcome, block.summary, block.files, block.pictures)]);
      block.outcome = "";
  }
});
