// A rich result: the best of its faces that the page can draw without trusting it.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { api, bytesAddress, type Column } from "./api";
import type { Display, Face } from "./events";
import { TABLE } from "./events";
import { Markdown } from "./markdown";
import { tamePlain } from "./output";
import { dialog } from "./store";
import { localRows, TableView } from "./table";

const PICTURES = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/svg+xml"];
const ORDER = [TABLE, "text/html", ...PICTURES, "text/markdown", "text/latex", "application/json", "text/plain"];
const TALLEST = 4000; // pixels of a frame

export function DisplayView({ display, session, variable = "" }: { display: Display; session: string; variable?: string }) {
  const face = ORDER.map((type) => display.faces.find((one) => one.media_type === type)).find(Boolean);
  if (!face) return <p class="quiet">{display.faces.map((one) => one.media_type).join(", ")}</p>;
  const text = display.faces.find((one) => one.media_type === "text/plain");
  const label = typeof text?.data === "string" ? tamePlain(text.data).slice(0, 200) : "";
  return <FaceView face={face} label={label} session={session} variable={variable} />;
}

function FaceView({ face, label, session, variable }: { face: Face; label: string; session: string; variable: string }) {
  if (PICTURES.includes(face.media_type)) return <PictureView face={face} label={label} session={session} />;
  const data = typeof face.data === "string" ? face.data : "";
  switch (face.media_type) {
    case TABLE:
      return <TableFace data={data} variable={variable} />;
    case "text/html":
      return <FrameView html={data} session={session} />;
    case "text/markdown":
      return <Markdown text={data} session={session} />;
    default:
      return <pre class="output" dir="ltr" tabIndex={0}>{tamePlain(data)}</pre>;
  }
}

/** A picture is only ever an image, so that nothing in it can run. */
export function PictureView({ face, label, session }: { face: Face; label: string; session: string }) {
  const [made, setMade] = useState("");
  const { data, media_type: type } = face;
  useEffect(() => {
    if (typeof data !== "string") return;
    const address = URL.createObjectURL(new Blob([data], { type }));
    setMade(address);
    return () => URL.revokeObjectURL(address);
  }, [data, type]);
  const source = typeof data === "string" ? made : bytesAddress(session, data, type);
  if (!source) return null;
  const title = label && !/^<.*>$/s.test(label) ? label : "Picture made by this block";
  return (
    <div class="picture">
      <button type="button" class="bare" aria-label={`Enlarge: ${title}`} onClick={() => { dialog.value = { kind: "picture", source, title }; }}>
        <img src={source} alt={title} loading="lazy" />
      </button>
      <a class="save" href={source} download={`picture.${type === "image/svg+xml" ? "svg" : type.slice(6)}`}>Save</a>
    </div>
  );
}

const NEEDS = /<script data-library="([0-9a-f]{64})"><\/script>/g;
const libraries = new Map<string, Promise<string>>();

/** The browser code of a plotting library, which the session has sent once. */
function library(session: string, digest: string): Promise<string> {
  const address = api.blobAddress(session, digest);
  let found = libraries.get(address);
  if (!found) {
    found = fetch(address, { credentials: "same-origin" }).then(async (response) => {
      if (!response.ok) throw new Error("What draws this figure is not kept any more. Run the block again.");
      return (await response.text()).replace(/<\/script/gi, "<\\/script");
    });
    found.catch(() => libraries.delete(address));
    libraries.set(address, found);
  }
  return found;
}

/** HTML with the libraries that it names inside: its frame can fetch nothing. */
async function complete(html: string, session: string): Promise<string> {
  const digests = [...new Set([...html.matchAll(NEEDS)].map((match) => match[1]!))].slice(0, 4);
  const scripts = new Map(await Promise.all(digests.map(async (digest) => [digest, await library(session, digest)] as const)));
  return html.replace(NEEDS, (_, digest: string) => {
    const script = scripts.get(digest) ?? "";
    scripts.delete(digest); // once is enough, however often it is named
    return `<script>${script}</script>`;
  });
}

/** HTML that code made: in a frame of an origin of its own, which reaches neither page nor network. */
export function FrameView({ html, session }: { html: string; session: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [height, setHeight] = useState(150);
  const [problem, setProblem] = useState("");
  useLayoutEffect(() => { // before the frame can say that it is ready, which it does once
    const hear = (event: MessageEvent) => {
      if (event.source !== frame.current?.contentWindow) return;
      const told = event.data as { height?: unknown; ready?: unknown } | null;
      if (typeof told?.height === "number" && told.height > 0) setHeight(Math.min(TALLEST, Math.ceil(told.height)));
      else if (told?.ready === true) fill();
    };
    addEventListener("message", hear);
    return () => removeEventListener("message", hear);
  }, [html, session]);
  const fill = () => complete(html, session).then(
    (whole) => frame.current?.contentWindow?.postMessage({ html: whole }, "*"),
    (error: Error) => setProblem(error.message),
  );
  if (problem) return <p class="notice warning">{problem}</p>;
  return <iframe key={html} class="frame" ref={frame} src="/frame" loading="lazy" sandbox="allow-scripts" title="HTML made by this block" style={{ height: `${height}px` }} />;
}

interface TableData { columns: Column[]; rows: unknown[][]; shape: [number, number] }

function TableFace({ data, variable }: { data: string; variable: string }) {
  const table = useMemo(() => readTable(data), [data]);
  const source = useMemo(() => (table ? localRows(table.columns, table.rows) : null), [table]);
  if (!table || !source) return <pre class="output" dir="ltr" tabIndex={0}>{tamePlain(data)}</pre>;
  const [rows, columns] = table.shape;
  const cut = rows > table.rows.length || columns > table.columns.length;
  const size = `${rows.toLocaleString()} × ${columns.toLocaleString()}`;
  const first = `${size}; the first ${table.rows.length.toLocaleString()} rows.`;
  const note = !cut ? size : variable ? first : `${first} Open it in Variables for all of them.`;
  const all = cut && variable ? () => { dialog.value = { kind: "table", name: variable }; } : undefined;
  return <TableView source={source} note={note} all={all} />;
}

function readTable(data: string): TableData | null {
  try {
    const table = JSON.parse(data) as TableData;
    return Array.isArray(table.columns) && Array.isArray(table.rows) && Array.isArray(table.shape) ? table : null;
  } catch {
    return null;
  }
}
