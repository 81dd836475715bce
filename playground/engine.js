// Runs the engine, a program for WASI that reads its standard input and writes its standard output.

/** Compiles the program once. Returns a function from an input to an output. */
async function openEngine(base64) {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const program = await WebAssembly.compile(bytes);
  return (input) => runProgram(program, input);
}

function runProgram(program, text) {
  const NOT_SUPPORTED = 52, BAD_FILE = 8;
  const input = new TextEncoder().encode(text), output = [];
  let read = 0, memory;
  const view = () => new DataView(memory.buffer);
  /** Calls `each` with the pieces of memory that a list of buffers names. Returns the sum of its results. */
  const pieces = (list, count, each) => {
    let sum = 0;
    for (let at = list; at < list + 8 * count; at += 8) {
      const [start, length] = [view().getUint32(at, true), view().getUint32(at + 4, true)];
      sum += each(new Uint8Array(memory.buffer, start, length));
    }
    return sum;
  };
  const functions = {
    fd_read(file, list, count, done) {
      if (file !== 0) return BAD_FILE;
      const take = (piece) => {
        const part = input.subarray(read, read + piece.length);
        piece.set(part);
        read += part.length;
        return part.length;
      };
      view().setUint32(done, pieces(list, count, take), true);
      return 0;
    },
    fd_write(file, list, count, done) {
      const keep = (piece) => {
        if (file === 1) output.push(piece.slice());
        return piece.length;
      };
      view().setUint32(done, pieces(list, count, keep), true);
      return 0;
    },
    environ_sizes_get(count, size) {
      view().setUint32(count, 0, true);
      view().setUint32(size, 0, true);
      return 0;
    },
    environ_get: () => 0,
    args_sizes_get: (count, size) => functions.environ_sizes_get(count, size),
    args_get: () => 0,
    random_get(start, length) {
      for (let at = 0; at < length; at += 65536) {
        crypto.getRandomValues(new Uint8Array(memory.buffer, start + at, Math.min(65536, length - at)));
      }
      return 0;
    },
    clock_time_get(clock, precision, result) {
      const now = clock === 0 ? Date.now() : performance.now();
      view().setBigUint64(result, BigInt(Math.round(now * 1e6)), true);
      return 0;
    },
    proc_exit(code) {
      throw new Error(`the engine has stopped with ${code}`);
    },
  };
  const imports = { wasi_snapshot_preview1: {} };
  for (const { module, name } of WebAssembly.Module.imports(program)) {
    (imports[module] ??= {})[name] = functions[name] ?? (() => NOT_SUPPORTED);
  }
  const instance = new WebAssembly.Instance(program, imports);
  memory = instance.exports.memory;
  instance.exports._start();
  return new TextDecoder().decode(new Uint8Array(output.flatMap((piece) => [...piece])));
}

if (typeof module !== "undefined") module.exports = { openEngine };
