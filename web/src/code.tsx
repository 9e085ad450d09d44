// Code as a picture of what runs: every line has its number, every character is itself or a mark.
import { useEffect, useMemo, useState } from "preact/hooks";
import { tokens, type Token } from "./highlight";
import { drawn, isMark } from "./visible";

interface Span { text: string; kind: string }

/** The lines of code as they are drawn, with the colours of their pieces. */
function drawnLines(source: string, pieces: readonly Token[]): Span[][] {
  const kinds: string[] = [];
  for (const piece of pieces) for (const _ of piece.text) kinds.push(piece.kind);
  let at = 0;
  return source.split("\n").map((line) => {
    const spans: Span[] = [];
    for (const shown of drawn(line)) {
      const kind = isMark(shown) ? "mark" : kinds[at] ?? "";
      at++;
      const last = spans.at(-1);
      if (last?.kind === kind) last.text += shown;
      else spans.push({ text: shown, kind });
    }
    at++; // the line end
    return spans;
  });
}

interface Props { source: string; language: string; active?: number | null; growing?: boolean }

export function CodeView({ source, language, active, growing }: Props) {
  const [coloured, setColoured] = useState<{ source: string; pieces: Token[] } | null>(null);
  useEffect(() => {
    if (growing) return;
    let current = true;
    void tokens(source, language).then((pieces) => { if (current) setColoured({ source, pieces }); });
    return () => { current = false; };
  }, [source, language, growing]);
  const pieces = coloured?.source === source ? coloured.pieces : [];
  const lines = useMemo(() => drawnLines(source, pieces), [source, coloured]);
  return (
    <pre class="code" dir="ltr" tabIndex={0} aria-label={`Code, ${language}`}>
      <code>
        {lines.map((spans, place) => (
          <span key={place} class={active === place + 1 ? "line active" : "line"}>
            {spans.map((span) => (span.kind ? <span class={span.kind}>{span.text}</span> : span.text))}
            {"\n"}
          </span>
        ))}
      </code>
    </pre>
  );
}
