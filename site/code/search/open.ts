// Opens the search: from the header's button, any other button with data-search-open, `/`, and Ctrl or Command with K.
// The dialog and the index are loaded when somebody first opens it.

let opening: Promise<void> | undefined;

function open(from: HTMLElement): void {
  opening ??= import("./dialog").then((module) => module.show(from)).finally(() => (opening = undefined));
  opening.catch(() => {
    // Without the dialog there are still the lists.
    location.assign(from.dataset["lists"] ?? "./");
  });
}

/** Whether a key is meant for what has the focus. */
function typing(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches("input, textarea, select"));
}

export function bind(): void {
  const button = document.querySelector<HTMLElement>("button.rl-search-open");
  if (!button) return;
  document.addEventListener("click", (event) => {
    if (event.target instanceof Element && event.target.closest(".rl-search-open, [data-search-open]")) open(button);
  });
  document.addEventListener("keydown", (event) => {
    const slash = event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey && !typing(event.target);
    const k = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey;
    if ((slash || k) && !event.isComposing) {
      event.preventDefault();
      open(button);
    }
  });
}
