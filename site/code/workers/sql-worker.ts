// SQLite in a thread of its own, so that a query that never ends can be ended by ending the thread.
import initSqlJs from "sql.js/dist/sql-wasm-browser.js";
import type { Database } from "sql.js";

/** Rows of one answer; more are counted, not sent. */
const MOST = 1000;

interface Asked {
  open?: string;
  run?: string;
}

let database: Database | undefined;

async function open(address: string): Promise<void> {
  const code = await initSqlJs({ locateFile: (name: string) => new URL(name, import.meta.url).href });
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address}: ${response.status}`);
  database = new code.Database(new Uint8Array(await response.arrayBuffer()));
  postMessage({ opened: true });
}

function run(query: string): void {
  if (database === undefined) throw new Error("the database is not open");
  const statement = database.prepare(query);
  try {
    const rows: (string | number | null)[][] = [];
    let count = 0;
    while (statement.step()) {
      count += 1;
      if (count <= MOST) rows.push(statement.get().map((value) => (value instanceof Uint8Array ? `${value.length} bytes` : value)));
      else break;
    }
    postMessage({ columns: statement.getColumnNames(), rows, more: count > MOST });
  } finally {
    statement.free();
  }
}

addEventListener("message", (event: MessageEvent<Asked>) => {
  const asked = event.data;
  const done = (async () => {
    if (asked.open !== undefined) await open(asked.open);
    if (asked.run !== undefined) run(asked.run);
  })();
  done.catch((error: unknown) => postMessage({ error: error instanceof Error ? error.message : String(error) }));
});
