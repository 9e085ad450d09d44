// A block of code: what it is, whether it may run, what it printed and what it changed.
import { useContext } from "preact/hooks";
import { ActionView, Ask, GrantCard, InputCard } from "./ask";
import type { Block } from "./conversation";
import { DisplayView } from "./display";
import type { FileChange } from "./events";
import { OutputView } from "./output-view";
import { api } from "./api";
import { attempt, dialog, Here, inWorkspace, running, showChanges, showTries } from "./store";
import { sentence, visible } from "./visible";

const OUTCOMES: Record<string, string> = {
  ok: "ran", failed: "failed", interrupted: "stopped", timed_out: "timed out", backgrounded: "goes on in the background",
  died: "its process died", declined: "not run", invalid: "not understood", skipped: "not run",
};

export function BlockView({ block, session }: { block: Block; session: string }) {
  block.version.value;
  const outcome = block.result?.outcome;
  return (
    <section class={`block ${block.state} ${outcome ?? ""}`} role="group" aria-label="Block of code">
      <header>
        <span class="language">{nameOf(block)}</span>
        <Status block={block} />
      </header>
      <ActionView action={block.action} active={block.activeLine} growing={block.state === "writing"} />
      {block.original && <p class="quiet note">You changed this before it ran.</p>}
      {block.question && <Ask key={block.question.n} block={block} question={block.question} />}
      <div class="results" aria-live="off">
        {block.pieces.map((piece, place) => ("log" in piece
          ? <OutputView key={piece.key} log={piece.log} />
          : <DisplayView key={piece.key} display={piece.display} session={session} variable={place === block.pieces.length - 1 ? lastName(block) : ""} />))}
      </div>
      {block.input && <InputCard key={block.input.n} question={block.input} />}
      {block.grants.map((grant) => <GrantCard key={grant.n} grant={grant} answer={grant.answer} />)}
      <Verdict block={block} />
      {block.state === "proposed" && !block.question && !running.value && <Unanswered />}
    </section>
  );
}

/** The variable that a block of Python ends with: its last result is that one. */
function lastName(block: Block): string {
  const { action } = block;
  if (action.type !== "Code" || action.language !== "python") return "";
  return /(?:^|\n)([\p{L}_][\p{L}\p{N}_]*)\s*$/u.exec(action.source)?.[1] ?? "";
}

function nameOf(block: Block): string {
  const { action } = block;
  if (action.type === "Code") return visible(action.language);
  return action.type === "ActionCall" ? visible(action.tool) : "not understood";
}

function Status({ block }: { block: Block }) {
  block.version.value;
  if (block.state === "writing") return <span class="status live">writing</span>;
  if (block.waits) return <span class="status asks">waits for you</span>;
  if (block.state === "running") return <span class="status live">running{block.activeLine ? `, line ${block.activeLine}` : ""}</span>;
  const outcome = block.result?.outcome;
  if (!outcome) return <span class="status">{block.state === "done" ? "stopped" : "proposed"}</span>;
  const took = block.seconds === null ? "" : ` in ${block.seconds < 10 ? block.seconds.toFixed(1) : Math.round(block.seconds)} s`;
  return <span class={`status ${outcome}`}>{OUTCOMES[outcome] ?? outcome}{outcome === "ok" ? took : ""}</span>;
}

/** A proposal that nobody answered: it can be asked about again. */
function Unanswered() {
  const here = useContext(Here);
  const ask = () => attempt(async () => { if (here) await api.proceed(here.id); });
  return <div class="actions"><button type="button" onClick={() => void ask()}>Ask me again</button></div>;
}

/** What the walls let through and what they kept out, and the way back. */
function Verdict({ block }: { block: Block }) {
  block.version.value;
  const changes = block.changes ?? [];
  const failed = block.result && block.result.outcome !== "ok" && block.result.summary;
  const finished = block.state === "done" || block.result !== null;
  if (!finished && !block.notices.length) return null;
  return (
    <footer class="verdict">
      {failed && <p class="summary">{sentence(firstLine(block.result!.summary))}</p>}
      {block.decision?.reason && <p class="quiet">Your reason: {sentence(block.decision.reason)}</p>}
      {block.notices.map((notice) => <p class={`notice ${notice.level}`}>{sentence(notice.text)}</p>)}
      {block.discarded && <p class="quiet">Taken back: {sentence(block.discarded)}</p>}
      {changes.length > 0 && <Changes changes={changes} />}
      {finished && block.checkpoint && <BlockActions block={block} />}
    </footer>
  );
}

function firstLine(summary: string): string {
  return summary.split("\n").filter((line) => !line.startsWith("variables: "))[0] ?? "";
}

export const SIGNS = { added: "+", modified: "~", deleted: "−", renamed: "→" };
const SHOWN = 8;

function Changes({ changes }: { changes: FileChange[] }) {
  const here = useContext(Here);
  const session = here?.id ?? "";
  return (
    <ul class="changes" aria-label="Files that changed">
      {changes.slice(0, SHOWN).map((change) => ({ ...change, path: inWorkspace(change.path, here), renamed_from: inWorkspace(change.renamed_from, here) })).map((change) => (
        <li class={change.kind}>
          <span class="sign" aria-hidden="true">{SIGNS[change.kind]}</span>
          <span class="hidden">{change.kind} </span>
          {change.kind === "deleted" || change.path.startsWith("/")
            ? <span class="path">{visible(change.path)}</span>
            : <a class="path" href={api.fileAddress(session, change.path)} download="">{visible(change.path)}</a>}
          {change.renamed_from && <span class="quiet"> from {visible(change.renamed_from)}</span>}
          {change.size !== null && <span class="quiet"> {sizeText(change.size)}</span>}
        </li>
      ))}
      {changes.length > SHOWN && <li class="quiet">and {changes.length - SHOWN} more</li>}
    </ul>
  );
}

function BlockActions({ block }: { block: Block }) {
  return (
    <div class="actions">
      {block.changes?.length === 0
        ? <span class="quiet grow">It changed no files.</span>
        : <button type="button" class="small" onClick={() => void showChanges(block)}>Show changes</button>}
      <button type="button" class="small" disabled={running.value} title="In copies of everything, side by side" onClick={showTries}>Try other ways…</button>
      <button type="button" class="small" disabled={running.value} onClick={() => { dialog.value = { kind: "undo", block, files: [] }; }}>Undo…</button>
    </div>
  );
}

export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const units = ["kB", "MB", "GB", "TB"];
  const place = Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3) - 1);
  return `${(bytes / 1000 ** (place + 1)).toFixed(1)} ${units[place]}`;
}
