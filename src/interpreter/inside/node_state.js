// An expression: what a Node session holds in plain data, or, given that, puts it back.
(function (kept) {
  'use strict';
  const inspector = new (require('node:inspector').Session)();
  inspector.connect();
  const post = (method, options) => {
    let found;
    inspector.post(method, options, (error, result) => (found = result));
    return found;
  };
  const own = new Set(['module', 'exports', 'require', '__dirname', '__filename']);
  const lexical = post('Runtime.globalLexicalScopeNames', {})?.names ?? [];
  const global = Object.keys(globalThis).filter((name) => !own.has(name));

  function plain(value, depth = 0) {
    if (value === null || ['boolean', 'string', 'undefined'].includes(typeof value)) return true;
    if (typeof value === 'number') return Number.isFinite(value);
    if (typeof value !== 'object' || depth > 50) return false;
    const kind = Object.getPrototypeOf(value);
    if (Array.isArray(value)) return value.every((item) => plain(item, depth + 1));
    if (kind !== Object.prototype && kind !== null) return false;
    return Object.values(value).every((item) => plain(item, depth + 1));
  }

  function look() {
    const values = {};
    const others = {};
    for (const name of new Set([...global, ...lexical])) {
      let value;
      try {
        value = (0, eval)(name);
      } catch {
        continue;
      }
      if (plain(value)) values[name] = value === undefined ? null : JSON.stringify(value);
      else if (typeof value === 'object') others[name] = value.constructor?.name ?? 'object';
    }
    return { values, others, cwd: process.cwd(), environment: { ...process.env } };
  }

  function set(name, text) {
    const source = text === null ? 'undefined' : `JSON.parse(${JSON.stringify(text)})`;
    if (!lexical.includes(name)) globalThis[name] = (0, eval)(source);
    else post('Runtime.evaluate', { expression: `let ${name} = ${source}`, replMode: true });
  }

  function putBack() {
    const now = look();
    const report = { restored: [], removed: [], lost: {}, kept: {} };
    for (const [name, text] of Object.entries(kept.values)) {
      if (now.values[name] === text && name in now.values) continue;
      set(name, text);
      report.restored.push(name);
    }
    for (const name of Object.keys(now.values)) {
      if (name in kept.values || name in kept.others) continue;
      if (lexical.includes(name)) set(name, null);
      else if (!Reflect.deleteProperty(globalThis, name)) globalThis[name] = undefined; // a var stays declared
      report.removed.push(name);
    }
    for (const [name, kind] of Object.entries(kept.others)) {
      report[name in now.others ? 'kept' : 'lost'][name] = kind;
    }
    process.chdir(kept.cwd);
    for (const name of Object.keys(process.env)) {
      if (!(name in kept.environment)) delete process.env[name];
    }
    Object.assign(process.env, kept.environment);
    return report;
  }

  const result = kept ? putBack() : look();
  inspector.disconnect();
  console.log(JSON.stringify(result));
})
