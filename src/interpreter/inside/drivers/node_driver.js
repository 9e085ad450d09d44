// A persistent JavaScript session: node node_driver.js DIRECTORY [typescript]
// Blocks come as JSON lines on DIRECTORY/blocks, everything that happens goes to DIRECTORY/events.
// The main thread runs the user's code; a worker waits for the numbers of blocks to interrupt on
// DIRECTORY/interrupts, so that even a loop that never yields can be stopped.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const bytes = Buffer.from.bind(Buffer);
const write = fs.writeSync.bind(fs);
const { Worker, isMainThread, parentPort, workerData } = require('node:worker_threads');

const { parse, stringify } = JSON; // the user may replace the global ones
const LARGEST_FRAME = 64_000;
const ANSWER_MILLISECONDS = 100; // how long an idle main thread may take to obey

// A line of its own, even after one that a termination cut short.
function frame(event) {
  return bytes('\n' + stringify(event) + '\n');
}

// JSON lines from a named pipe; the end of the pipe is the end of the host, and ours.
function follow(pipe, take) {
  const fd = fs.openSync(pipe, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  const source = new (require('node:net').Socket)({ fd, readable: true, writable: false });
  let pieces = [];
  source.on('data', (data) => {
    let start = 0;
    for (let at; (at = data.indexOf(10, start)) >= 0; start = at + 1) {
      pieces.push(data.subarray(start, at));
      const line = Buffer.concat(pieces).toString();
      pieces = [];
      take(parse(line));
    }
    pieces.push(data.subarray(start));
  });
  source.on('close', () => process.kill(process.pid, 'SIGKILL'));
}

// ---- The worker: interrupts, passed on and then enforced.

function guard({ directory, obeyed }) {
  const { Session } = require('node:inspector');
  const inspector = new Session();
  inspector.connectToMainThread();
  const events = fs.openSync(path.join(directory, 'events'), 'w');
  follow(path.join(directory, 'interrupts'), (block) => {
    parentPort.postMessage(block);
    setTimeout(insist, ANSWER_MILLISECONDS, block);
  });

  function insist(block) {
    if (Atomics.load(obeyed, 0) >= block) settled(block);
    else inspector.post('Runtime.terminateExecution', () => settled(block));
  }

  // Until this is told, the termination may still strike; no other block must run before.
  function settled(block) {
    write(events, frame({ kind: 'settled', block }));
  }
}

// ---- The main thread: the user's code.

function main(directory, typescript) {
  const events = fs.openSync(path.join(directory, 'events'), 'w');
  const obeyed = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(__filename, { workerData: { directory, obeyed } });
  const session = openSession();
  let current = 0;

  function tell(event) {
    let data = frame(event);
    while (data.length) data = data.subarray(write(events, data));
  }

  function end(block, result) {
    if (block !== current) return; // it was given up before
    tell({ kind: 'end', block, ...result });
    current = 0;
    Atomics.store(obeyed, 0, block);
  }

  for (const name of ['stdout', 'stderr']) {
    process[name].write = (data, encoding, done) => {
      const text = typeof data === 'string' ? data : Buffer.from(data).toString();
      for (let at = 0; at < text.length; at += LARGEST_FRAME)
        tell({ kind: name, block: current, text: text.slice(at, at + LARGEST_FRAME) });
      const callback = typeof encoding === 'function' ? encoding : done;
      if (callback) process.nextTick(callback);
      return true;
    };
  }
  makeTheUsersWorld();
  const hangUp = offerHostCalls(directory);
  protectOurDescriptors(directory, (fd) => {
    tell({ kind: 'broken', block: current, fd });
    process.kill(process.pid, 'SIGKILL');
  });
  process.on('uncaughtException', (error) => complain('Uncaught', error));
  process.on('unhandledRejection', (error) => complain('Uncaught (in promise)', error));

  function complain(what, error) {
    if (!(error instanceof Exit)) process.stderr.write(`${what} ${shown(error)}\n`);
  }

  worker.on('message', (block) => {
    hangUp();
    end(block, { outcome: 'interrupted' });
    Atomics.store(obeyed, 0, block);
  });
  follow(path.join(directory, 'blocks'), ({ block, code }) => {
    current = block;
    run(block, code);
  });
  tell({ kind: 'ready' });

  function run(block, code) {
    let expression;
    try {
      expression = withoutImports(typescript ? withoutTypes(code) : code);
    } catch (error) {
      end(block, { outcome: 'failed', error: String(error) });
      return;
    }
    const options = { expression, replMode: true, objectGroup: 'reploop' };
    session.post('Runtime.evaluate', options, (problem, answer) => {
      const result = problem ? { outcome: 'interrupted' } : resultOf(answer);
      session.post('Runtime.releaseObjectGroup', { objectGroup: 'reploop' });
      setImmediate(end, block, result); // after the rejections that nobody handled are reported
    });
  }

  function resultOf({ exceptionDetails, result }) {
    return exceptionDetails ? failure(exceptionDetails) : { outcome: 'ok', value: valueOf(result) };
  }

  function failure({ exception, text }) {
    const thrown = exception && take(exception);
    if (thrown instanceof Exit) return { outcome: 'exit', status: thrown.status };
    return { outcome: 'failed', error: exception ? shown(thrown) : text };
  }

  function valueOf(remote) {
    return remote.type === 'undefined' ? undefined : shown(take(remote));
  }

  // The inspector hands out references; this turns one into the value itself.
  function take(remote) {
    const argument =
      remote.objectId !== undefined
        ? { objectId: remote.objectId }
        : remote.unserializableValue !== undefined
          ? { unserializableValue: remote.unserializableValue }
          : { value: remote.value };
    let value;
    globalThis[HANDOVER] = (it) => (value = it);
    session.post('Runtime.evaluate', { expression: HANDOVER_SOURCE }, (_, { result }) =>
      session.post('Runtime.callFunctionOn', {
        functionDeclaration: 'function (it) { this(it); }',
        objectId: result.objectId,
        arguments: [argument],
      }),
    );
    delete globalThis[HANDOVER];
    return value;
  }
}

const HANDOVER = Symbol.for('reploop.handover');
const HANDOVER_SOURCE = "globalThis[Symbol.for('reploop.handover')]";

const OUR_FRAMES = /\n +at Session\.post \(node:inspector[^]*?(?=\n(?! +at )|$)/g;

function shown(value) {
  return require('node:util').inspect(value).replace(OUR_FRAMES, '');
}

function openSession() {
  const { Session } = require('node:inspector');
  const session = new Session();
  session.connect();
  return session;
}

class Exit extends Error {
  constructor(status) {
    super(`process.exit(${status})`);
    this.status = status;
  }
}

function makeTheUsersWorld() {
  const here = path.join(process.cwd(), '[block]');
  const { createRequire } = require('node:module');
  const { Readable } = require('node:stream');
  globalThis.require = createRequire(here);
  globalThis.module = { exports: {} };
  globalThis.exports = globalThis.module.exports;
  globalThis.__dirname = process.cwd();
  Object.defineProperty(globalThis, IMPORT, { value: importer(here), enumerable: false });
  Object.defineProperty(process, 'stdin', { value: Readable.from([]), configurable: true });
  process.exit = (status = process.exitCode ?? 0) => {
    throw new Exit(Number(status));
  };
  process.argv.length = 1;
}

// Names of the host's functions, where there are any: no variables, and loaded with the first use.
function offerHostCalls(directory) {
  const names = (process.env.REPLOOP_CALLS ?? '').split(' ').filter(Boolean);
  delete process.env.REPLOOP_CALLS;
  let calls;
  for (const name of names) {
    const become = (value) => {
      Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: true });
    };
    const get = () => (calls ??= require(path.join(directory, '..', 'host_calls.js'))).named(name);
    Object.defineProperty(globalThis, name, { get, set: become, configurable: true, enumerable: false });
  }
  return () => calls?.hangUp();
}

// Node's own pipes are open beside the user's files. What is written into them can make it wait for
// itself for ever, so that it is better ended.
const ON_DESCRIPTORS = ['write', 'writev', 'writeFile', 'appendFile', 'ftruncate', 'read', 'close'];

function protectOurDescriptors(directory, broken) {
  const theUsers = new Set();
  const readlink = fs.readlinkSync.bind(fs);

  function isOurs(fd) {
    if (!Number.isInteger(fd) || fd < 3 || theUsers.has(fd)) return false;
    let target = '';
    try {
      target = readlink(`/proc/self/fd/${fd}`);
    } catch {
      return false; // there is none, or no such list
    }
    if (/^(anon_inode|pipe):/.test(target) || target.startsWith(`${directory}/`)) return true;
    theUsers.add(fd);
    return false;
  }

  for (const name of ON_DESCRIPTORS.flatMap((name) => [name, `${name}Sync`])) {
    const original = fs[name];
    const checked = function (fd, ...rest) {
      if (isOurs(fd)) broken(fd);
      if (name.startsWith('close')) theUsers.delete(fd);
      return original.call(this, fd, ...rest);
    };
    fs[name] = Object.defineProperties(checked, Object.getOwnPropertyDescriptors(original));
  }
  require('node:module').syncBuiltinESMExports();
}

// ---- Source text: imports and types.

const IMPORT = '__reploop_import';

function importer(here) {
  const vm = require('node:vm');
  const loader = vm.constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER;
  if (loader === undefined) return (name) => import(name);
  const warn = process.emitWarning;
  process.emitWarning = (text, ...more) =>
    String(text).includes('DEFAULT_LOADER') ? undefined : warn.call(process, text, ...more);
  const script = new vm.Script('(name) => import(name)', {
    filename: here,
    importModuleDynamically: loader,
  });
  return script.runInThisContext();
}

function withoutTypes(code) {
  const node = require('node:module');
  if (node.stripTypeScriptTypes) return node.stripTypeScriptTypes(code, { mode: 'transform' });
  const typescript = compiler();
  const { outputText, diagnostics } = typescript.transpileModule(code, {
    compilerOptions: { target: 'ESNext', module: 'ESNext', verbatimModuleSyntax: true },
    reportDiagnostics: true,
  });
  if (!diagnostics.length) return outputText;
  const text = diagnostics[0].messageText;
  throw new SyntaxError(typescript.flattenDiagnosticMessageText(text, '\n'));
}

function compiler() {
  try {
    return globalThis.require('typescript');
  } catch {
    throw new Error(
      'TypeScript needs Node 22.13 or newer, or the npm package typescript in this directory',
    );
  }
}

// Code evaluated bit by bit has no module around it: `import(…)` calls our importer, and an import
// statement becomes an awaited call of it. Strings, comments and templates are left alone.
function withoutImports(code) {
  if (!code.includes('import')) return code;
  return code.replace(TOKENS, (token, statement, clause, source, bare, call) => {
    if (call !== undefined) return `${IMPORT}(`;
    if (bare !== undefined) return `await ${IMPORT}(${bare})`;
    return statement === undefined ? token : `${bindings(clause)} await ${IMPORT}(${source})`;
  });
}

const STRING = String.raw`"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'`;
const TOKENS = new RegExp(
  [
    String.raw`\/\/[^\n]*|\/\*[^]*?\*\/`,
    '`(?:\\\\[^]|[^`\\\\])*`',
    String.raw`(?<=^|[;\n])[ \t]*(import\s+([\w$*{][\w$\s,*{}]*?)\s*from\s*(${STRING}))`,
    String.raw`(?<=^|[;\n])[ \t]*import\s*(${STRING})`,
    String.raw`(?<![.\w$])(import)\s*\(`,
    STRING,
  ].join('|'),
  'g',
);

function bindings(clause) {
  const [, first, rest] = /^\s*([\w$]+)?\s*,?\s*([^]*)$/.exec(clause);
  const named = /^\{([^]*)\}\s*$/.exec(rest);
  const names = named ? named[1].split(',').map((n) => n.trim().replace(/\s+as\s+/, ': ')) : [];
  const whole = /^\*\s*as\s+([\w$]+)/.exec(rest);
  if (whole && !first) return `const ${whole[1]} =`;
  const all = [...(first ? [`default: ${first}`] : []), ...names.filter(Boolean)];
  return `const { ${all.join(', ')} } =`;
}

if (isMainThread) main(process.argv[2], process.argv[3] === 'typescript');
else guard(workerData);
