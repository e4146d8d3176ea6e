// The page on which the database of the site answers SQL. Nothing is loaded before somebody asks.
import { box, csvButton, el, keep, query } from "../tools/dom";

type Cell = string | number | null;
interface Answer {
  opened?: boolean;
  error?: string;
  columns?: string[];
  rows?: Cell[][];
  more?: boolean;
}

/** A piece of the form, which stands in the page from the start so that nothing moves when this code comes. */
function piece<T extends HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no ${id}`);
  return found as T;
}

const place = document.getElementById("sql");
if (place !== null) build(place);

function build(place: HTMLElement): void {
  const address = new URL(place.dataset.database ?? "", document.baseURI).href;
  const said = piece("sql-said");
  const answer = piece("sql-answer");
  const input = piece<HTMLTextAreaElement>("sql-query");
  const go = piece<HTMLButtonElement>("sql-run");
  const stop = piece<HTMLButtonElement>("sql-stop");
  input.value = query().get("q") ?? input.value;
  input.disabled = false;
  go.disabled = false;
  let worker: Worker | undefined;

  function end(text: string): void {
    go.disabled = false;
    stop.disabled = true;
    said.textContent = text;
  }

  function start(): Worker {
    const made = new Worker(new URL("sql-worker.js", import.meta.url), { type: "module" });
    made.onmessage = (event: MessageEvent<Answer>) => {
      const told = event.data;
      if (told.opened) made.postMessage({ run: input.value });
      else if (told.error !== undefined) {
        answer.replaceChildren();
        end(`SQLite says: ${told.error}`);
      } else show(told);
    };
    made.onerror = () => end("The database could not be started here.");
    return made;
  }

  function run(): void {
    keep({ q: input.value });
    go.disabled = true;
    stop.disabled = false;
    if (worker === undefined) {
      said.textContent = "Loading the database …";
      worker = start();
      worker.postMessage({ open: address });
    } else {
      said.textContent = "Running …";
      worker.postMessage({ run: input.value });
    }
  }

  function show(told: Answer): void {
    const columns = told.columns ?? [];
    const rows = told.rows ?? [];
    const head = el("tr", {}, ...columns.map((name) => el("th", { scope: "col" }, name)));
    const lines = rows.map((row) => el("tr", {}, ...row.map(cell)));
    const table = el("table", { class: "rl" }, el("caption", {}, "What the query gives"), el("thead", {}, head), el("tbody", {}, ...lines));
    const csv = csvButton("ridgeline.csv", () => [columns, ...rows.map((row) => row.map((value) => String(value ?? "")))]);
    answer.replaceChildren(...(columns.length ? [box("What the query gives", table), el("p", {}, csv)] : []));
    end(told.more ? `The first ${rows.length.toLocaleString("en")} rows; there are more.` : `${rows.length.toLocaleString("en")} rows.`);
  }

  go.addEventListener("click", run);
  stop.addEventListener("click", () => {
    worker?.terminate();
    worker = undefined;
    end("Stopped. The next query loads the database again.");
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !go.disabled) run();
  });
  for (const example of document.querySelectorAll<HTMLElement>("[data-sql]")) {
    const use = example.querySelector("button");
    if (use === null) continue;
    use.disabled = false;
    use.addEventListener("click", () => {
      input.value = example.dataset["sql"] ?? "";
      input.focus();
    });
  }
  if (query().has("q")) run();
}

function cell(value: Cell): HTMLElement {
  return el("td", { class: typeof value === "number" ? "n" : undefined }, value === null ? el("span", { class: "faint" }, "NULL") : String(value));
}
