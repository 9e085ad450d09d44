// Questions: may this run, may it have that, and what to type.
import { useContext, useEffect, useRef, useState } from "preact/hooks";
import { api } from "./api";
import { CodeView } from "./code";
import type { Block, InputQuestion, Question } from "./conversation";
import type { Action, Answer } from "./events";
import { attempt, decide, Here } from "./store";
import { sentence, visible } from "./visible";

const QUIET = 1000; // milliseconds without a key before a question may take the focus

let lastKey = -QUIET;
addEventListener("keydown", (event) => { if (event.key !== "Enter") lastKey = performance.now(); }, { capture: true });

export function ActionView({ action, active, growing }: { action: Action; active: number | null; growing: boolean }) {
  switch (action.type) {
    case "Code":
      return <CodeView source={action.source} language={action.language} active={active} growing={growing} />;
    case "ActionCall":
      return <CodeView source={action.arguments} language="json" />;
    case "MalformedCall":
      return <CodeView source={action.raw} language="text" />;
  }
}

/** Whether somebody is in the middle of typing, or has a dialog open. */
function isBusy(): boolean {
  const at = document.activeElement;
  const typing = at instanceof HTMLInputElement || (at instanceof HTMLTextAreaElement && at.value !== "");
  return typing || document.querySelector("dialog[open]") !== null;
}

/** Moves the focus to a question, once no key was pressed for a moment. */
function useGentleFocus() {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    place.current?.scrollIntoView({ block: "nearest" });
    let timer = 0;
    const tryToFocus = () => {
      const left = QUIET - (performance.now() - lastKey);
      if (left > 0) timer = setTimeout(tryToFocus, left + 1);
      else if (!isBusy()) place.current?.focus();
    };
    tryToFocus();
    return () => clearTimeout(timer);
  }, []);
  return place;
}

export function Ask({ block, question }: { block: Block; question: Question }) {
  const [mode, setMode] = useState<"asking" | "editing" | "declining">("asking");
  const [sent, setSent] = useState(false);
  const place = useGentleFocus();
  const here = useContext(Here);
  const { request } = question;
  const answer = async (given: Answer, reason = "", source: string | null = null) => {
    setSent(true);
    if (!(await decide(here, question.n, given, reason, source))) setSent(false);
  };
  const code = block.action.type === "Code" ? block.action : null;
  const keys = (event: KeyboardEvent) => {
    if (mode !== "asking" || event.ctrlKey || event.metaKey || event.altKey || sent) return;
    const act = { y: () => void answer("yes"), e: () => code && setMode("editing"), d: () => void answer("dry_run"), n: () => setMode("declining") }[event.key.toLowerCase()];
    if (!act) return;
    event.preventDefault();
    act();
  };
  return (
    <div class="ask" ref={place} tabIndex={-1} role="group" aria-label="May this run?" onKeyDown={keys}>
      {request.reason && <p class="reason">{sentence(request.reason)}</p>}
      {request.findings.length > 0 && (
        <ul class="findings">{request.findings.map((finding) => <li>Line {finding.line}: {sentence(finding.reason)}</li>)}</ul>
      )}
      {request.preview && <pre class="preview" dir="ltr" tabIndex={0}>{sentence(request.preview)}</pre>}
      {mode === "asking" && (
        <div class="actions">
          <button type="button" class="primary" disabled={sent} onClick={() => void answer("yes")} aria-keyshortcuts="y">Run <kbd aria-hidden="true">y</kbd></button>
          {code && <button type="button" disabled={sent} onClick={() => setMode("editing")} aria-keyshortcuts="e">Edit <kbd aria-hidden="true">e</kbd></button>}
          <button type="button" disabled={sent} onClick={() => void answer("dry_run")} aria-keyshortcuts="d" title="Run it as a trial; then keep or take back what it did">Dry run <kbd aria-hidden="true">d</kbd></button>
          <button type="button" disabled={sent} onClick={() => setMode("declining")} aria-keyshortcuts="n">Decline <kbd aria-hidden="true">n</kbd></button>
        </div>
      )}
      {mode === "editing" && code && <Editor source={code.source} language={code.language} cancel={() => setMode("asking")} run={(source) => void answer("yes", "", source)} />}
      {mode === "declining" && <Decline cancel={() => setMode("asking")} decline={(reason) => void answer("no", reason)} />}
    </div>
  );
}

function Decline({ decline, cancel }: { decline: (reason: string) => void; cancel: () => void }) {
  const [reason, setReason] = useState("");
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <form class="actions" onSubmit={(event) => { event.preventDefault(); decline(reason); }} onKeyDown={(event) => { if (event.key === "Escape") cancel(); }}>
      <input ref={field} class="grow" value={reason} onInput={(event) => setReason(event.currentTarget.value)} placeholder="Why not? The model reads it (may stay empty)" aria-label="Reason" />
      <button type="submit" class="primary">Decline</button>
      <button type="button" onClick={cancel}>Back</button>
    </form>
  );
}

/** The editor comes when it is asked for; until then, and where it cannot, it is a plain field. */
function Editor({ source, language, run, cancel }: { source: string; language: string; run: (source: string) => void; cancel: () => void }) {
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<{ text(): string; close(): void } | null>(null);
  const [problem, setProblem] = useState("");
  useEffect(() => {
    let current = true;
    import("./editor").then(
      ({ openEditor }) => { if (current) editor.current = openEditor(place.current!, source, language, run, cancel); },
      () => setProblem("The editor could not be loaded. Is the server still running?"),
    );
    return () => { current = false; editor.current?.close(); };
  }, []);
  return (
    <div class="editor">
      {problem && <p class="notice error">{problem}</p>}
      <div ref={place} class="editor-place" />
      <div class="actions">
        <button type="button" class="primary" onClick={() => { if (editor.current) run(editor.current.text()); }}>Run edited <kbd aria-hidden="true">Ctrl ⏎</kbd></button>
        <button type="button" onClick={cancel}>Back <kbd aria-hidden="true">Esc</kbd></button>
      </div>
    </div>
  );
}

const GIVEN: Record<string, string> = { yes: "Allowed", session: "Allowed for this session", always: "Always allowed", dry_run: "Allowed", no: "Refused", stop: "Refused" };

/** Something a running block wants beyond its walls, or the end of a dry run. */
export function GrantCard({ grant, answer: answered }: { grant: Question; answer: Question["answer"] }) {
  const place = useGentleFocus();
  const here = useContext(Here);
  const [sent, setSent] = useState(false);
  if (answered) {
    return <p class="granted quiet">{GIVEN[answered] ?? "Answered"}: {sentence(grant.request.reason)}</p>;
  }
  const answer = async (given: Answer) => {
    setSent(true);
    if (!(await decide(here, grant.n, given))) setSent(false);
  };
  const trial = grant.request.reason.startsWith("It ran as a trial");
  return (
    <div class="ask grant" ref={place} tabIndex={-1} role="group" aria-label={trial ? "Keep what the dry run did?" : "A block asks for more"}>
      <p class="reason">{sentence(grant.request.reason)}</p>
      <div class="actions">
        <button type="button" class="primary" disabled={sent} onClick={() => void answer("yes")}>{trial ? "Keep it" : "Allow once"}</button>
        {!trial && <button type="button" disabled={sent} onClick={() => void answer("session")}>For this session</button>}
        {!trial && <button type="button" disabled={sent} onClick={() => void answer("always")}>Always</button>}
        <button type="button" disabled={sent} onClick={() => void answer("no")}>{trial ? "Take it back" : "Refuse"}</button>
      </div>
    </div>
  );
}

export function InputCard({ question }: { question: InputQuestion }) {
  const [text, setText] = useState("");
  const place = useRef<HTMLInputElement>(null);
  const here = useContext(Here);
  useEffect(() => place.current?.focus(), []);
  const send = (line: string | null) => attempt(async () => { if (here) await api.input(here.id, question.n, line); });
  const label = visible(question.prompt) || "The block waits for a line of input";
  return (
    <form class="ask actions" onSubmit={(event) => { event.preventDefault(); void send(text); }}>
      <label class="grow">
        <span>{label}</span>
        {question.hidden
          ? <input ref={place} type="password" value={text} autocomplete="off" onInput={(event) => setText(event.currentTarget.value)} />
          : <input ref={place} value={text} autocomplete="off" onInput={(event) => setText(event.currentTarget.value)} />}
      </label>
      <button type="submit" class="primary">Send</button>
      <button type="button" onClick={() => void send(null)}>End of input</button>
    </form>
  );
}
