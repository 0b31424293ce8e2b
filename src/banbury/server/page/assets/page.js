// The page's only script that is loaded first: forms that send themselves while one types, parts that come in their
// place, a server that goes away and comes back. Rooms that need more import it below. Nothing is kept here: the server
// has it all, and every form works without this file.

/** Ask the server; while it does not answer, say so and try again. */
export async function ask(address, options = {}) {
  for (let wait = 500; ; wait = Math.min(wait * 1.5, 4000)) {
    try {
      const answer = await fetch(address, { credentials: "same-origin", ...options });
      offline(false);
      return answer;
    } catch {
      offline(true);
      await new Promise((done) => setTimeout(done, wait));
    }
  }
}

function offline(is) {
  const banner = document.getElementById("offline");
  if (banner.hidden === !is) return;
  banner.firstElementChild.textContent = is ? "The server does not answer. Trying again …" : "";
  banner.hidden = !is;
}

/** Put the part of a page that came as HTML in the place of the one with its id; a whole page gives its own part. */
export function put(html, id) {
  const made = new DOMParser().parseFromString(html, "text/html");
  const fresh = made.getElementById(id) ?? made.querySelector("main > :not(#said)");
  const old = document.getElementById(id);
  if (!fresh || !old) return null;
  fresh.id = id;
  document.adoptNode(fresh);
  if (![old, fresh].some((one) => one.matches(CONTROLS) || one.querySelector(CONTROLS))) {
    become(old, fresh);
    return old;
  }
  keepOpen(old, fresh);
  old.replaceWith(fresh);
  start(fresh);
  return fresh;
}

// What people can put something into, or what does something by itself, is replaced whole.
const CONTROLS = "form, input, [data-poll], [data-drop], [data-key]";

/** Make an element equal to a fresh one, and touch only what differs: most of a result stays from key to key. */
function become(old, fresh) {
  for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  for (const { name } of [...old.attributes])
    if (!fresh.hasAttribute(name) && !(name === "open" && old.tagName === "DETAILS")) old.removeAttribute(name);
  let mine = old.firstChild;
  for (let theirs = fresh.firstChild, next; theirs; theirs = next) {
    next = theirs.nextSibling;
    if (!mine) {
      old.append(theirs);
      continue;
    }
    const after = mine.nextSibling;
    if (mine.nodeName !== theirs.nodeName) mine.replaceWith(theirs);
    else if (mine.nodeType !== Node.ELEMENT_NODE) {
      if (mine.data !== theirs.data) mine.data = theirs.data;
    } else become(mine, theirs);
    mine = after;
  }
  while (mine) {
    const after = mine.nextSibling;
    mine.remove();
    mine = after;
  }
}

/** Details that were opened by hand stay open when their part comes anew. */
function keepOpen(old, fresh) {
  const opened = new Set([...old.querySelectorAll("details[open] > summary")].map((one) => one.textContent));
  for (const one of fresh.querySelectorAll("details > summary"))
    if (opened.has(one.textContent)) one.parentElement.open = true;
}

export const part = (id) => ({ "Banbury-Part": id });

// Forms that send themselves: one question at a time, and the newest one next, so that answers come steadily.
const asking = new Map();
async function live(form, id) {
  const state = asking.get(id) ?? {};
  asking.set(id, state);
  state.again = true;
  if (state.isBusy) return;
  state.isBusy = true;
  while (state.again) {
    state.again = false;
    const body = new URLSearchParams(new FormData(form));
    const answer = await ask(form.action, { method: "POST", body, headers: part(id) });
    put(await answer.text(), id);
  }
  state.isBusy = false;
  if (id === "result") remember();
}

// The address follows when typing rests: browsers refuse to change it more than a few times a second.
let resting;
function remember() {
  clearTimeout(resting);
  resting = setTimeout(() => {
    const link = document.getElementById("link");
    if (link) history.replaceState(null, "", link.href);
  }, 400);
}

function sets(input) {
  const output = input.parentElement.querySelector("output");
  if (output)
    output.textContent =
      input.dataset.bar === "power" ? String(+(10 ** input.value).toPrecision(3)) : `${(+input.value).toFixed(1)} %`;
  const [name, value] = (input.dataset.sets ?? "=").split("=");
  if (name) input.form.elements[name].value = value;
}

document.addEventListener("input", (event) => {
  const input = event.target;
  if (input.type === "range") sets(input);
  const form = input.form?.closest("form[data-live]");
  if (form && input.tagName !== "SELECT") live(form, form.dataset.live);
});
document.addEventListener("change", (event) => {
  const input = event.target;
  if (input.dataset.live === "page") return input.form.requestSubmit();
  const form = input.form?.closest("form[data-live]");
  if (form && (input.tagName === "SELECT" || input.type === "checkbox")) live(form, form.dataset.live);
});
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.dataset.live) {
    event.preventDefault();
    live(form, form.dataset.live);
  } else if (form.dataset.part) {
    event.preventDefault();
    act(form, form.dataset.part, event.submitter);
  }
});

// Forms that change something: one after the other, and never twice, since each has a number that the server knows.
async function act(form, id, button) {
  const place = document.getElementById(id);
  if (place.ariaBusy === "true") return;
  place.ariaBusy = "true";
  const body = new URLSearchParams(new FormData(form, button));
  const answer = await ask(form.action, { method: "POST", body, headers: part(id) });
  const html = await answer.text();
  const fresh = put(html, id);
  if (!fresh) place.ariaBusy = "false";
  else fresh.focus({ preventScroll: true });
}

// Parts that ask for themselves again, for as long as they say so.
async function poll(one) {
  await new Promise((done) => setTimeout(done, 400));
  if (!one.isConnected) return;
  const answer = await ask(one.dataset.poll, { headers: part(one.id) });
  if (answer.redirected) return location.assign(answer.url);
  if (one.isConnected) put(await answer.text(), one.id);
}

const rooms = {
  "[data-drop]": () => import("./drop.js"),
  "[data-key]": () => import("./keys.js"),
};

function start(root) {
  for (const one of root.parentElement.querySelectorAll("[data-poll]"))
    if (root.contains(one) || root === one) poll(one);
  for (const [selector, load] of Object.entries(rooms))
    if (root.matches(selector) || root.querySelector(selector)) load().then((room) => room.start(root));
}

start(document.body);
