// What main.ts and strategy.ts use of Node.js, so that the compiler alone is enough. Install @types/node, and delete this file,
// if you want all of it.

declare module "node:readline" {
  export function createInterface(options: { input: unknown }): { on(event: "line", listener: (line: string) => void): void };
}

declare const process: { stdin: unknown; stdout: { write(text: string): boolean } };
declare const console: { error(...values: unknown[]): void };
