// Files that are dropped on a form, and how far their sending is. Without this, the form's own button sends them.
const known = new WeakSet();

export function start(root) {
  const found = root.matches("[data-drop]") ? [root] : root.querySelectorAll("[data-drop]");
  for (const form of found) if (!known.has(form)) prepare(form);
}

function prepare(form) {
  known.add(form);
  const input = form.querySelector("input[type=file]");
  for (const name of ["dragenter", "dragover"])
    form.addEventListener(name, (event) => {
      event.preventDefault();
      form.classList.add("over");
    });
  for (const name of ["dragleave", "drop"]) form.addEventListener(name, () => form.classList.remove("over"));
  form.addEventListener("drop", (event) => {
    event.preventDefault();
    if (!event.dataTransfer.files.length) return;
    input.files = event.dataTransfer.files;
    form.requestSubmit();
  });
  input.addEventListener("change", () => input.files.length && form.requestSubmit());
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(form);
  });
}

// XMLHttpRequest, since fetch does not tell how much has been sent.
function send(form) {
  const place = form.querySelector(".sending");
  const bar = document.createElement("progress");
  bar.max = 1;
  bar.setAttribute("aria-label", "sent");
  place.replaceChildren(bar);
  const request = new XMLHttpRequest();
  request.upload.onprogress = (event) => (bar.value = event.loaded / event.total);
  request.onload = () => {
    if (request.status < 400 && request.responseURL) return location.assign(request.responseURL);
    const made = new DOMParser().parseFromString(request.responseText, "text/html");
    say(place, made.querySelector("[role=alert] p")?.textContent ?? `the server answered ${request.status}`);
  };
  request.onerror = () => say(place, "The server does not answer. The file was not sent; try again.");
  request.open("POST", form.action);
  request.send(new FormData(form));
}

function say(place, text) {
  const line = document.createElement("p");
  line.className = "wrong";
  line.textContent = text;
  place.replaceChildren(line);
}
