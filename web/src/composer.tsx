// Where one types: text, pictures from the clipboard, files that are dropped.
import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Picture } from "./api";
import { asking, opened, running, say, stop, tell, upload, uploading, uploads } from "./store";
import { visible } from "./visible";
import { aloud, loudness, partial, speaking, talk, voice } from "./voice/state";

export const draft = signal("");
const pictures = signal<(Picture & { address: string })[]>([]);
const sending = signal(false);
const LARGEST_PICTURE = 5_000_000; // bytes

export function focusComposer(): void {
  document.getElementById("composer")?.focus();
}

async function send(): Promise<void> {
  const files = uploads.value;
  const named = files.filter((name) => !draft.value.includes(name));
  const text = [draft.value.trim(), named.length ? `Uploaded: ${named.join(", ")}` : ""].filter(Boolean).join("\n\n");
  if ((!text && !pictures.value.length) || running.value || sending.value) return;
  const [typed, shown] = [draft.value, pictures.value];
  sending.value = true;
  draft.value = ""; // at once: what is typed while it is on its way belongs to the next message
  pictures.value = [];
  uploads.value = [];
  const sent = await say(text, shown.map(({ media_type, data }) => ({ media_type, data })));
  sending.value = false;
  if (sent) return;
  draft.value = [typed, draft.value].filter(Boolean).join("\n");
  pictures.value = [...shown, ...pictures.value];
  uploads.value = [...files, ...uploads.value];
}

async function addPictures(files: File[]): Promise<void> {
  for (const file of files) {
    if (file.size > LARGEST_PICTURE) {
      tell("That picture is larger than 5 MB. Drop it as a file instead.", "error");
      continue;
    }
    const address = await new Promise<string>((done) => {
      const reader = new FileReader();
      reader.onload = () => done(reader.result as string);
      reader.readAsDataURL(file);
    });
    pictures.value = [...pictures.value, { media_type: file.type, data: address.slice(address.indexOf(",") + 1), address }];
  }
}

export function Composer() {
  const field = useRef<HTMLTextAreaElement>(null);
  const chooser = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const area = field.current!;
    area.style.height = "auto";
    area.style.height = `${Math.min(area.scrollHeight, 240)}px`;
  }, [draft.value]);
  const keys = (event: KeyboardEvent) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing && !matchMedia("(pointer: coarse)").matches) {
      event.preventDefault();
      void send();
    } else if (event.key === "Escape" && running.value) void stop();
  };
  const paste = (event: ClipboardEvent) => {
    const files = [...(event.clipboardData?.files ?? [])];
    const images = files.filter((file) => /^image\/(png|jpeg)$/.test(file.type));
    if (!files.length) return;
    event.preventDefault();
    void addPictures(images);
    void upload(files.filter((file) => !images.includes(file)));
  };
  return (
    <form class="composer" onSubmit={(event) => { event.preventDefault(); void send(); }}>
      <Attached />
      <Listening />
      <div class="composer-row">
        <button type="button" class="icon" aria-label="Add files" title="Add files" onClick={() => chooser.current!.click()}><Plus /></button>
        <input ref={chooser} type="file" multiple hidden onChange={(event) => { void upload([...(event.currentTarget.files ?? [])]); event.currentTarget.value = ""; }} />
        <textarea id="composer" ref={field} rows={1} value={draft.value} onInput={(event) => { draft.value = event.currentTarget.value; }} onKeyDown={keys} onPaste={paste}
          placeholder={asking.value ? "A question waits above" : opened.value ? "Ask for something more" : "What shall I do?"} aria-label="Message" autocomplete="off" />
        {(aloud.value || speaking.value) && <Speaker />}
        <Talk />
        {running.value
          ? <button type="button" class="icon stop" aria-label="Stop" title="Stop (Esc)" onClick={() => void stop()}><Square /></button>
          : <button type="submit" class="icon send" aria-label="Send" title="Send (Enter)" disabled={sending.value || (!draft.value.trim() && !pictures.value.length && !uploads.value.length)}><Arrow /></button>}
      </div>
    </form>
  );
}

const HOLD = 350; // milliseconds; a shorter press begins, and the next one ends

/** Begin or end to listen, by key. */
export async function toggleTalk(): Promise<void> {
  const { begin, end } = await voice();
  await (talk.value === "off" ? begin() : end());
}

/** Held, it listens until it is let go; tapped, or by key, until the next time. */
function Talk() {
  const pressed = useRef(0);
  const press = (event: PointerEvent) => {
    if (event.button) return;
    (event.currentTarget as Element).setPointerCapture(event.pointerId);
    pressed.current = talk.value === "off" ? performance.now() : -1;
    if (pressed.current > 0) void toggleTalk();
  };
  const release = () => {
    const held = pressed.current > 0 && performance.now() - pressed.current > HOLD;
    if ((pressed.current < 0 || held) && talk.value !== "off") void voice().then(({ end }) => end());
    pressed.current = 0;
  };
  const on = talk.value === "opening" || talk.value === "listening";
  return (
    <button type="button" class={on ? "icon talk on" : "icon talk"} aria-label="Talk" aria-pressed={on} disabled={talk.value === "understanding"} title="Hold to talk, or tap to begin and to end (m)"
      onPointerDown={press} onPointerUp={release} onPointerCancel={release} onContextMenu={(event) => event.preventDefault()}
      onClick={(event) => { if (!event.detail) void toggleTalk(); }}><MicrophoneIcon /></button>
  );
}

function Speaker() {
  const set = () => void voice().then(({ speakAnswers }) => speakAnswers(!aloud.value));
  return <button type="button" class="icon" aria-label="Speak answers" aria-pressed={aloud.value} title={aloud.value ? "Be silent" : "Speak answers"} onClick={set}><SpeakerIcon /></button>;
}

/** That it listens, how loud it is, and what was understood so far. */
function Listening() {
  if (talk.value === "off") return null;
  const words = { opening: "Opening the microphone…", listening: "Listening…", understanding: "One moment…" }[talk.value];
  return (
    <div class="listening">
      <meter min={0} max={1} value={loudness.value} aria-label="Loudness" />
      <span>{partial.value ? visible(partial.value) : words}</span>
    </div>
  );
}

function Attached() {
  if (!pictures.value.length && !uploads.value.length && !uploading.value) return null;
  return (
    <ul class="attached" aria-label="Attached">
      {pictures.value.map((picture) => (
        <li><img src={picture.address} alt="Pasted picture" />
          <button type="button" class="bare" aria-label="Remove picture" onClick={() => { pictures.value = pictures.value.filter((one) => one !== picture); }}>×</button></li>
      ))}
      {uploads.value.map((name) => (
        <li><span>{visible(name)}</span>
          <button type="button" class="bare" aria-label={`Do not mention ${visible(name)}`} onClick={() => { uploads.value = uploads.value.filter((one) => one !== name); }}>×</button></li>
      ))}
      {uploading.value > 0 && <li class="quiet">Uploading…</li>}
    </ul>
  );
}

const MicrophoneIcon = () => <svg viewBox="0 0 20 20" aria-hidden="true"><rect x="7.5" y="2.5" width="5" height="9" rx="2.5" /><path d="M4.5 9.5a5.5 5.5 0 0 0 11 0M10 15v2.5" /></svg>;
const SpeakerIcon = () => <svg viewBox="0 0 20 20" aria-hidden="true"><path d="M3 8v4h3l4 3.5v-11L6 8zM13 7.5a3.5 3.5 0 0 1 0 5M15 5a7 7 0 0 1 0 10" /></svg>;
const Plus = () => <svg viewBox="0 0 20 20" aria-hidden="true"><path d="M10 4v12M4 10h12" /></svg>;
const Arrow = () => <svg viewBox="0 0 20 20" aria-hidden="true"><path d="M10 16V4M5 9l5-5 5 5" /></svg>;
const Square = () => <svg viewBox="0 0 20 20" aria-hidden="true"><rect x="5" y="5" width="10" height="10" rx="2" /></svg>;
