// Calls functions of the host from Node: await computer.ai.chat('…'), and with named arguments
// await computer.ai.query.with({ text, query }). The frames are those of host_calls.py.
'use strict';
const net = require('node:net');
const path = require('node:path');

const { parse, stringify } = JSON; // the user may replace the global ones
const ADDRESS = path.join(__dirname, 'calls');
const BYTES = 'application/octet-stream';
const open = new Set();

class CallFailed extends Error {
  constructor({ kind, text }, details) {
    super(text);
    this.name = kind;
    this.details = details;
  }
}

function named(name) {
  const call = (...positional) => ask(name, positional, {});
  return new Proxy(call, {
    get(target, part) {
      if (typeof part !== 'string' || part === 'then') return undefined; // it is no promise
      if (part === 'with') return (given, ...positional) => ask(name, positional, given);
      return named(`${name}.${part}`);
    },
  });
}

function ask(name, positional, given) {
  return new Promise((resolve, reject) => {
    const attached = [];
    const value = plain({ positional, named: given }, [], attached);
    const line = net.connect(ADDRESS);
    const pieces = [];
    let waiting = Buffer.alloc(0);
    open.add(line);
    line.on('error', (error) =>
      reject(new CallFailed({ kind: 'CallFailed', text: `The host does not answer: ${error.message}` })),
    );
    line.on('close', () => {
      open.delete(line);
      reject(new CallFailed({ kind: 'CallCancelled', text: 'The call was taken back.' }));
    });
    line.on('data', (data) => {
      waiting = Buffer.concat([waiting, data]);
      for (let frame; (frame = taken(waiting)); ) {
        waiting = frame.rest;
        if (frame.head.is === 'error') reject(new CallFailed(frame.head, frame.head.value));
        else if (frame.head.is === 'value') resolve(frame.head.value);
        else if (frame.head.is === 'end') resolve(pieces);
        else if (frame.head.is === 'piece') pieces.push(frame.head.value);
      }
    });
    const places = attached.map(({ at, data }) => [at, BYTES, data.length]);
    const text = Buffer.from(stringify({ call: name, value, attached: places }));
    const size = Buffer.alloc(4);
    size.writeUInt32BE(text.length);
    line.write(Buffer.concat([size, text, ...attached.map(({ data }) => data)]));
  });
}

function plain(value, at, attached) {
  if (value instanceof Uint8Array) {
    attached.push({ at, data: Buffer.from(value) });
    return null;
  }
  if (Array.isArray(value)) return value.map((item, key) => plain(item, [...at, key], attached));
  if (value === null || typeof value !== 'object' || typeof value.toJSON === 'function') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, plain(item, [...at, key], attached)]),
  );
}

// The first frame of what has arrived, if all of it has.
function taken(data) {
  if (data.length < 4) return undefined;
  let end = 4 + data.readUInt32BE(0);
  if (data.length < end) return undefined;
  const head = parse(data.subarray(4, end).toString());
  const sizes = (head.attached ?? []).map(([, , size]) => size);
  if (data.length < end + sizes.reduce((sum, size) => sum + size, 0)) return undefined;
  for (const [at, , size] of head.attached ?? []) {
    const steps = ['value', ...at];
    const place = steps.slice(0, -1).reduce((here, step) => here[step], head);
    place[steps.at(-1)] = data.subarray(end, end + size);
    end += size;
  }
  return { head, rest: data.subarray(end) };
}

// Take back every call that is not answered yet.
function hangUp() {
  for (const line of open) line.destroy();
}

module.exports = { named, hangUp };
