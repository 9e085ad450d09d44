// An expression: keeps what a Node session holds, or, given what it told then, puts it back.
//
// Objects of the user are kept where they are: what each of them holds is noted, and put back into
// the same object, so that aliases, classes and what functions refer to stay the same. Only what is
// known to be safe is looked into; all else is named. What is told has plain data as text, too, for
// a session that has been started anew.
(function (kept) {
  'use strict';
  const { types } = require('node:util');
  const { builtinModules } = require('node:module');
  const inspector = new (require('node:inspector').Session)();
  inspector.connect();
  const post = (method, options) => {
    let found;
    inspector.post(method, options, (error, result) => (found = result));
    return found;
  };
  const SHELF = Symbol.for('reploop.kept');
  const HAND = Symbol.for('reploop.hand');
  const HAND_SOURCE = "globalThis[Symbol.for('reploop.hand')]";
  const CAPTURED = 'variables that a function has captured';
  const PRIVATE = /#[\w$]/;
  const NATIVE = /\{\s*\[native code\]\s*\}$/;
  const MOST_STATES = 16;
  const MOST_MILLISECONDS = 100; // of the processor, for looking; the user's block waits
  const MOST_BYTES = 64 << 20;
  const MOST_FUNCTIONS = 500; // that are asked what they have captured
  const NODES_OWN =
    'module exports require __dirname __filename global clearImmediate setImmediate ' +
    'clearInterval clearTimeout setInterval setTimeout queueMicrotask structuredClone ' +
    'atob btoa performance fetch crypto navigator localStorage sessionStorage';
  const milliseconds = (before) => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  const own = new Set(NODES_OWN.split(' '));
  const lexical = [...new Set(post('Runtime.globalLexicalScopeNames', {})?.names ?? [])];
  const global = Object.keys(globalThis).filter((name) => !own.has(name));
  const shelf = globalThis[SHELF] ?? { states: new Map(), count: 0, nodes: null, skip: 0 };
  Object.defineProperty(globalThis, SHELF, { value: shelf, configurable: true });

  function bindings() {
    const found = new Map();
    for (const name of new Set([...global, ...lexical])) {
      try {
        found.set(name, (0, eval)(name));
      } catch {
        // not set yet
      }
    }
    return found;
  }

  // What Node itself brings along: its modules, and what they offer.
  function ofNode() {
    const loaded = process.moduleLoadList ?? [];
    if (shelf.nodes?.count === loaded.length) return shelf.nodes.found;
    const found = new Set();
    const names = new Set(loaded.map((line) => line.replace('NativeModule ', '')));
    const modules = builtinModules
      .filter((name) => names.has(name) && !/^_|^(punycode|sys)$/.test(name))
      .map((name) => require(name));
    for (const one of [globalThis, ...modules]) {
      found.add(one);
      for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(one)))
        if (one !== globalThis || own.has(name) || !property.enumerable) found.add(property.value);
    }
    shelf.nodes = { count: loaded.length, found };
    return found;
  }

  const source = (value) => Function.prototype.toString.call(value);
  const isFunction = (value) => typeof value === 'function';
  const isObject = (value) => (typeof value === 'object' && value !== null) || isFunction(value);
  const kindOf = (value) => (isFunction(value) ? 'function' : value.constructor?.name) || 'object';

  // ---- What a session holds, noted object by object.

  function keep() {
    const names = bindings();
    const nodes = ofNode();
    const cells = new Map(); // object -> [what it holds, the name by which it was found]
    const unknown = new Map(); // name -> kind of what could not be looked into
    const classes = new Set([...names.values()].filter((v) => isFunction(v) && !nodes.has(v)));
    const ends = new Set([Object, Array, Map, Set, Error, Date, RegExp].map((v) => v.prototype));
    const before = process.cpuUsage();
    let bytes = 0;

    function isKnown(prototype) {
      if (prototype === null || ends.has(prototype)) return true;
      const made = Object.getOwnPropertyDescriptor(prototype, 'constructor')?.value;
      if (!classes.has(made) || made.prototype !== prototype) return false;
      return isKnown(Object.getPrototypeOf(prototype));
    }

    function isSafe(value) {
      if (types.isProxy(value)) return false;
      if (isFunction(value)) return !NATIVE.test(source(value));
      if (ArrayBuffer.isView(value)) return !types.isSharedArrayBuffer(value.buffer);
      const prototype = Object.getPrototypeOf(value);
      if (prototype === null) return !types.isModuleNamespaceObject(value);
      return isKnown(prototype) || (classes.has(value.constructor) && isKnown(value));
    }

    // Fields that no other code can look into; a mark in a text or a comment is taken for one.
    function hasPrivate(value) {
      const prototype = Object.getPrototypeOf(value);
      if (prototype === null || ends.has(prototype)) return false;
      const made = prototype.constructor;
      return (isFunction(made) && PRIVATE.test(source(made))) || hasPrivate(prototype);
    }

    function look(value, name, waiting) {
      if (cells.has(value) || nodes.has(value)) return;
      if (!isSafe(value)) {
        unknown.set(name, kindOf(value));
        return;
      }
      const held = contentOf(value);
      bytes += held.bytes?.length ?? 0;
      if (bytes > MOST_BYTES || (cells.size % 256 === 0 && milliseconds(before) > MOST_MILLISECONDS))
        throw new RangeError('too much to keep');
      cells.set(value, [held, name]);
      if (held.keys && !isFunction(value) && hasPrivate(value)) unknown.set(name, 'private fields');
      for (const one of held.values ?? []) if (isObject(one.value)) waiting.push(one.value);
      for (const one of held.items ?? []) if (isObject(one)) waiting.push(one);
      for (const entry of held.entries ?? []) waiting.push(...entry.filter(isObject));
    }

    for (const [name, value] of names) {
      const waiting = isObject(value) ? [value] : [];
      while (waiting.length) look(waiting.pop(), name, waiting);
    }
    return { names, cells, unknown, constant: lexical.filter(isConstant) };
  }

  function contentOf(value) {
    if (ArrayBuffer.isView(value)) return { bytes: bytesOf(value).slice() };
    if (Array.isArray(value) && isDense(value)) return { items: value.slice() };
    const keys = Reflect.ownKeys(value);
    const values = keys.map((key) => Object.getOwnPropertyDescriptor(value, key));
    const held = { keys, values, prototype: Object.getPrototypeOf(value) };
    if (held.prototype === Object.prototype) return held;
    if (types.isMap(value) || types.isSet(value)) held.entries = entriesOf(value);
    if (types.isDate(value)) held.time = Date.prototype.getTime.call(value);
    return held;
  }

  function isDense(list) {
    const keys = Object.keys(list); // numbers come first, in order
    return keys.length === list.length && (!keys.length || keys.at(-1) === String(list.length - 1));
  }

  const entriesOf = (value) =>
    types.isMap(value)
      ? [...Map.prototype.entries.call(value)]
      : Array.from(Set.prototype.values.call(value), (one) => [one]);
  const bytesOf = (view) => new Uint8Array(view.buffer, view.byteOffset, view.byteLength);

  function isConstant(name) {
    try {
      (0, eval)(`${name} = ${name}`);
      return false;
    } catch (error) {
      return error instanceof TypeError;
    }
  }

  // ---- Putting it back.

  function putInto(value, held) {
    if (held.bytes) return putBytes(bytesOf(value), held.bytes);
    if (held.items) return putItems(value, held.items);
    let changed = putProperties(value, held.keys, held.values);
    if (Object.getPrototypeOf(value) !== held.prototype)
      changed = Reflect.setPrototypeOf(value, held.prototype);
    if ('time' in held && !Object.is(Date.prototype.getTime.call(value), held.time)) {
      Date.prototype.setTime.call(value, held.time);
      changed = true;
    }
    return held.entries ? putEntries(value, held.entries) || changed : changed;
  }

  function putBytes(now, bytes) {
    if (Buffer.compare(now, bytes) === 0) return false;
    now.set(bytes);
    return true;
  }

  function putItems(value, items) {
    const isSame = Array.isArray(value) && value.length === items.length;
    if (isSame && items.every((item, at) => Object.is(item, value[at]))) return false;
    for (const key of Object.keys(value)) delete value[key];
    value.length = items.length;
    items.forEach((item, at) => (value[at] = item));
    return true;
  }

  function putProperties(value, keys, values) {
    const there = Reflect.ownKeys(value);
    let changed = there.length !== keys.length || there.some((key, at) => key !== keys[at]);
    for (const key of changed ? there : []) // all of them, since their order counts
      if (!Reflect.deleteProperty(value, key) && !keys.includes(key))
        throw new TypeError('it was sealed');
    keys.forEach((key, at) => {
      const now = Object.getOwnPropertyDescriptor(value, key);
      if (now && Object.keys(now).every((one) => Object.is(now[one], values[at][one]))) return;
      Object.defineProperty(value, key, values[at]);
      changed = true;
    });
    return changed;
  }

  function putEntries(value, entries) {
    const kind = types.isMap(value) ? Map.prototype : Set.prototype;
    const now = entriesOf(value);
    const isSame = (entry, at) => entry.every((one, i) => Object.is(one, entries[at][i]));
    if (now.length === entries.length && now.every(isSame)) return false;
    kind.clear.call(value);
    for (const entry of entries) (kind.set ?? kind.add).apply(value, entry);
    return true;
  }

  function bind(name, value, constant = false) {
    globalThis[HAND] = value;
    const kind = constant ? 'const' : 'let';
    if (!lexical.includes(name)) globalThis[name] = value;
    else if (constant || isConstant(name))
      post('Runtime.evaluate', { expression: `${kind} ${name} = ${HAND_SOURCE}`, replMode: true });
    else (0, eval)(`${name} = ${HAND_SOURCE}`);
    delete globalThis[HAND];
  }

  function putBack(state, report) {
    const now = bindings();
    const restored = new Set();
    for (const [name, value] of state.names) {
      if (now.has(name) && Object.is(now.get(name), value)) continue;
      bind(name, value, state.constant.includes(name));
      restored.add(name);
    }
    for (const [value, [held, name]] of state.cells) {
      try {
        if (putInto(value, held)) restored.add(name);
      } catch (error) {
        report.lost[name] = `${kindOf(value)}: ${error.message}`;
      }
    }
    report.restored = [...restored].filter((name) => !(name in report.lost)).sort();
    remove([...now.keys()].filter((name) => !state.names.has(name)), now, report);
    for (const [name, kind] of state.unknown) report.kept[name] = kind;
    const functions = [...state.cells].filter(([value]) => isFunction(value));
    for (const [value, [, name]] of functions.slice(0, MOST_FUNCTIONS))
      if (!(name in report.kept) && remembers(value)) report.kept[name] = CAPTURED;
  }

  // Whether a function sees variables of another one, which nobody else can look into.
  function remembers(value) {
    globalThis[HAND] = value;
    const { objectId } = post('Runtime.evaluate', { expression: HAND_SOURCE }).result;
    delete globalThis[HAND];
    const within = (id) => post('Runtime.getProperties', { objectId: id, ownProperties: true });
    const scopes = within(objectId)?.internalProperties?.find((one) => one.name === '[[Scopes]]');
    const found = scopes ? within(scopes.value.objectId).result : [];
    post('Runtime.releaseObject', { objectId });
    return found.some((one) => one.value?.description?.startsWith('Closure'));
  }

  function remove(names, now, report) {
    for (const name of names) {
      if (now.get(name) === undefined) continue; // removed before
      if (lexical.includes(name)) bind(name, undefined);
      else if (!Reflect.deleteProperty(globalThis, name)) globalThis[name] = undefined; // a var
      report.removed.push(name);
    }
  }

  // ---- Plain data as text, for a session that was started anew.

  function plain(value, depth = 0) {
    if (value === null || ['boolean', 'string', 'undefined'].includes(typeof value)) return true;
    if (typeof value === 'number') return Number.isFinite(value);
    if (typeof value !== 'object' || depth > 50 || types.isProxy(value)) return false;
    const kind = Object.getPrototypeOf(value);
    if (Array.isArray(value)) return value.every((item) => plain(item, depth + 1));
    if (kind !== Object.prototype && kind !== null) return false;
    return Object.values(value).every((item) => plain(item, depth + 1));
  }

  function texts() {
    const values = {};
    const others = {};
    for (const [name, value] of bindings()) {
      if (plain(value)) values[name] = value === undefined ? null : JSON.stringify(value);
      else others[name] = kindOf(value);
    }
    return { values, others };
  }

  function putTextsBack(report) {
    const now = texts();
    for (const [name, text] of Object.entries(kept.values)) {
      if (name in now.values && now.values[name] === text) continue;
      bind(name, text === null ? undefined : JSON.parse(text));
      report.restored.push(name);
    }
    const known = (name) => name in kept.values || name in kept.others;
    remove(Object.keys(now.values).filter((name) => !known(name)), bindings(), report);
    for (const [name, kind] of Object.entries(kept.others))
      report[name in now.others ? 'kept' : 'lost'][name] = kind;
  }

  function tell() {
    const number = `${process.pid}-${(shelf.count += 1)}`;
    if (shelf.count > shelf.skip) {
      try {
        shelf.states.set(number, keep());
      } catch {
        shelf.skip = shelf.count + MOST_STATES; // too much: for a while the texts must do
      }
    }
    const old = [...shelf.states.keys()].slice(0, -MOST_STATES);
    for (const one of old) shelf.states.delete(one);
    return { number, ...texts(), cwd: process.cwd(), environment: { ...process.env } };
  }

  function goBack() {
    const report = { restored: [], removed: [], lost: {}, kept: {} };
    const state = shelf.states.get(kept.number);
    if (state) putBack(state, report);
    else putTextsBack(report);
    process.chdir(kept.cwd);
    for (const name of Object.keys(process.env)) {
      if (!(name in kept.environment)) delete process.env[name];
    }
    Object.assign(process.env, kept.environment);
    return report;
  }

  const result = kept ? goBack() : tell();
  inspector.disconnect();
  console.log(JSON.stringify(result));
})
