// The part of a page that is shown, as Markdown. Text only: nothing of it is ever run.
(most) => {
  const HIDDEN = new Set(["SCRIPT", "STYLE", "NOSCRIPT", "TEMPLATE", "SVG", "HEAD", "IFRAME"]);
  const BLOCKS = new Set(["P", "DIV", "SECTION", "ARTICLE", "MAIN", "HEADER", "FOOTER", "NAV",
    "ASIDE", "FORM", "FIGURE", "DL", "DT", "DD", "ADDRESS", "DETAILS", "SUMMARY", "FIELDSET"]);
  const shown = (node) => {
    if (HIDDEN.has(node.tagName.toUpperCase())) return false;
    const style = getComputedStyle(node);
    return style.display !== "none" && style.visibility !== "hidden";
  };
  const inner = (node) => [...node.childNodes].map(written).join("");
  const line = (node) => inner(node).replace(/\s+/g, " ").trim();
  const block = (text) => (text.trim() ? `\n\n${text.trim()}\n\n` : "");
  const indented = (text) => text.trim().replace(/\n{2,}/g, "\n").replace(/\n/g, "\n  ");
  const cell = (node) => line(node).replace(/\|/g, "\\|");
  const table = (node) => {
    const rows = [...node.rows].map((row) => `| ${[...row.cells].map(cell).join(" | ")} |`);
    if (!rows.length) return "";
    const rule = `|${" --- |".repeat(node.rows[0].cells.length)}`;
    return block([rows[0], rule, ...rows.slice(1)].join("\n"));
  };
  const list = (node) => block([...node.children].filter(shown).map((item, number) =>
    `${node.tagName === "OL" ? `${number + 1}.` : "-"} ${indented(inner(item))}`).join("\n"));
  const field = (node) => {
    const label = node.getAttribute("aria-label") || node.labels?.[0]?.innerText || node.name || "";
    const secret = node.type === "password";
    return node.type === "hidden" ? "" : `[${label.trim()}: ${secret ? "•••" : node.value}]`;
  };
  const marked = (node, mark) => (line(node) ? `${mark}${line(node)}${mark}` : "");
  const link = (node) => {
    const goes = /^(https?|mailto):/.test(node.href);
    return goes && line(node) ? `[${line(node)}](${node.href})` : inner(node);
  };
  const written = (node) => {
    if (node.nodeType === Node.TEXT_NODE) return node.data.replace(/\s+/g, " ");
    if (node.nodeType !== Node.ELEMENT_NODE || !shown(node)) return "";
    const tag = node.tagName;
    if (/^H[1-6]$/.test(tag)) return block(`${"#".repeat(Number(tag[1]))} ${line(node)}`);
    switch (tag) {
      case "A": return link(node);
      case "B": case "STRONG": return marked(node, "**");
      case "I": case "EM": return marked(node, "*");
      case "CODE": return `\`${node.innerText}\``;
      case "PRE": return `\n\n\`\`\`\n${node.innerText.trimEnd()}\n\`\`\`\n\n`;
      case "BLOCKQUOTE": return block(inner(node).trim().replace(/^/gm, "> "));
      case "UL": case "OL": return list(node);
      case "TABLE": return table(node);
      case "IMG": return node.alt ? `![${node.alt}]` : "";
      case "HR": return block("---");
      case "BR": return "\n";
      case "INPUT": case "TEXTAREA": case "SELECT": return field(node);
    }
    return BLOCKS.has(tag) ? block(inner(node)) : inner(node);
  };
  return inner(document.body).replace(/[ \t]+\n/g, "\n").replace(/\n{3,}/g, "\n\n").trim().slice(0, most);
}
