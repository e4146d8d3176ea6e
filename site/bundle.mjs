// Bundles code/pages/*.ts into the folder given (build/site-code): one module a kind of page, what they share in chunks,
// and code/workers/*.ts, which pages start beside themselves.
// Chunk names carry a hash of their content and nothing carries a time, so the same sources make the same bytes.
import { build } from "esbuild";
import { cp, mkdir, readdir, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";

const target = resolve(process.argv[2] ?? "../build/site-code");
const beside = `${target}.new-${process.pid}`;
const modules = async (folder) =>
  (await readdir(folder)).filter((name) => name.endsWith(".ts")).sort().map((name) => join(folder, name));
const pages = await modules("code/pages");
await rm(beside, { recursive: true, force: true });
await build({
  entryPoints: [...pages, ...(await modules("code/workers"))],
  entryNames: "[name]",
  outdir: beside,
  bundle: true,
  splitting: true,
  format: "esm",
  target: "es2022",
  minify: true,
  chunkNames: "shared-[hash]",
  legalComments: "linked",
  charset: "utf8",
  logLevel: "warning",
});
await mkdir(beside, { recursive: true });
await cp("node_modules/sql.js/dist/sql-wasm-browser.wasm", join(beside, "sql-wasm-browser.wasm"));
await rm(target, { recursive: true, force: true });
await rename(beside, target);
console.log(`${pages.length} page modules in ${target}`);
