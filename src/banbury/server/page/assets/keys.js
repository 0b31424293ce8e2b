// Single keys for what has `data-key`: a button is pressed, a field gets the cursor. Escape leaves a field.
let isListening = false;

export function start() {
  if (isListening) return;
  isListening = true;
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    const field = event.target.closest("input, textarea, select");
    if (field) {
      if (event.key === "Escape") field.blur();
      return;
    }
    const target = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
    if (!target) return;
    event.preventDefault();
    if (target.tagName === "INPUT") target.focus();
    else if (target.closest("[aria-busy=true]") === null) target.click();
  });
}
