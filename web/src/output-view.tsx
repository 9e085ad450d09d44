// Printed lines, all of them: in groups that the browser lays out only while they are seen.
import { useEffect, useRef } from "preact/hooks";
import { type OutputLog, Painter } from "./output";

const GROUP = 250; // lines
const BUDGET = 8; // milliseconds of a frame for drawing
const AT_END = 24; // pixels

/** Draws a log into an element; `close` ends it. */
class LogDrawing {
  private drawn = 0;
  private frame = 0;
  private follow = true;
  private readonly painter = new Painter();
  private readonly rest = document.createElement("span");
  private group: HTMLElement | undefined;
  private inGroup = 0;

  constructor(private readonly log: OutputLog, private readonly place: HTMLElement) {
    place.append(this.rest);
    place.addEventListener("scroll", this.scrolled, { passive: true });
    log.onChange = () => { this.frame ||= requestAnimationFrame(this.draw); };
    this.draw();
  }

  close(): void {
    cancelAnimationFrame(this.frame);
    this.log.onChange = () => undefined;
    this.place.removeEventListener("scroll", this.scrolled);
    this.place.replaceChildren();
  }

  private scrolled = () => {
    const { scrollHeight, scrollTop, clientHeight } = this.place;
    this.follow = scrollHeight - scrollTop - clientHeight < AT_END;
  };

  private draw = () => {
    this.frame = 0;
    const { lines } = this.log;
    if (lines.length < this.drawn) this.restart();
    const over = performance.now() + BUDGET;
    while (this.drawn < lines.length && performance.now() < over) {
      if (!this.group || this.inGroup >= GROUP) this.newGroup();
      const next = Math.min(lines.length, this.drawn + GROUP - this.inGroup);
      this.painter.paint(lines.slice(this.drawn, next), this.group!);
      this.inGroup += next - this.drawn;
      this.drawn = next;
    }
    this.rest.replaceChildren();
    if (this.log.rest) this.painter.copy().paint([this.log.restLine], this.rest);
    if (this.follow) this.place.scrollTop = this.place.scrollHeight;
    if (this.drawn < lines.length) this.frame = requestAnimationFrame(this.draw);
  };

  private restart(): void {
    this.drawn = 0;
    this.group = undefined;
    this.place.classList.remove("long");
    this.place.replaceChildren(this.rest);
  }

  private newGroup(): void {
    this.group = document.createElement("div");
    this.group.className = "lines";
    if (this.rest.previousElementSibling) this.place.classList.add("long");
    this.inGroup = 0;
    this.rest.before(this.group);
  }
}

export function OutputView({ log }: { log: OutputLog }) {
  const place = useRef<HTMLPreElement>(null);
  useEffect(() => {
    const drawing = new LogDrawing(log, place.current!);
    return () => drawing.close();
  }, [log]);
  return <pre class="output" dir="ltr" ref={place} tabIndex={0} role="group" aria-label="Output" />;
}
