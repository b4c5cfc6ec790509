// Small comforts on top of pages that work without them: copy buttons, times in the reader's zone,
// a flash that can be closed, menus that close, buttons that wait for the typed confirmation, forms that are checked
// as they are typed, long names that break between their parts.
"use strict";

// A page under another name of the server leads to the public URL, at which alone its forms are taken. An error says so.
const { home } = document.body.dataset;
if (home && location.origin !== home && !document.querySelector("[data-error]")) {
  try {
    // Once: something on the way may lead back here.
    if (sessionStorage.getItem("led") !== location.href) {
      sessionStorage.setItem("led", location.href);
      location.replace(home + location.pathname + location.search + location.hash);
    }
  } catch {} // no storage: the answer to a form names the address
}

/** Copies text; plain-http hosts have no clipboard API, so a selected text area is the second way. */
async function copyText(text) {
  if (navigator.clipboard && window.isSecureContext) return navigator.clipboard.writeText(text);
  const area = document.createElement("textarea");
  area.value = text;
  area.setAttribute("readonly", "");
  area.className = "visually-hidden";
  document.body.append(area);
  area.select();
  const copied = document.execCommand("copy");
  area.remove();
  if (!copied) throw new Error("The browser refused to copy");
}

/** A `[data-copy]` button copies the code of the nearest `.copy` or `.code` around it. */
async function copyFrom(button) {
  const source = button.closest(".copy, .code")?.querySelector("code");
  if (!source) return;
  const label = button.querySelector("[data-copy-label]");
  try {
    await copyText(source.textContent);
    button.classList.add("is-copied");
    if (label) label.textContent = label.dataset.copiedLabel;
  } catch {
    window.getSelection()?.selectAllChildren(source);
    if (label) label.textContent = label.dataset.pressLabel;
  }
  button.focus();
  setTimeout(() => {
    button.classList.remove("is-copied");
    if (label) label.textContent = label.dataset.copyLabel;
  }, 2000);
}

/** `<time>` holds UTC from the server: shows the reader's zone and keeps UTC as the title. Written as the server writes it,
    in the language of the page; its English puts the day before the month. */
function showLocalTimes(root) {
  const language = document.documentElement.lang;
  const shape = { dateStyle: "medium", timeStyle: "short" };
  const format = new Intl.DateTimeFormat(language === "en" ? "en-GB" : language || undefined, shape);
  for (const element of root.querySelectorAll("time[datetime]")) {
    const instant = new Date(element.dateTime);
    if (Number.isNaN(instant.getTime())) continue;
    element.title = element.textContent.trim();
    element.textContent = format.format(instant);
  }
}

/** `iframe[data-preview]` shows what is typed into a field: its colour, as soon as it is one. Beside the field stands what
    the server makes of it. */
function followPreviews(root) {
  for (const frame of root.querySelectorAll("iframe[data-preview]")) {
    const input = document.getElementById(frame.dataset.preview);
    input?.addEventListener("input", async () => {
      const colour = input.value.trim();
      if (!/^#[0-9a-f]{6}$/i.test(colour)) {
        // Half a colour is no fault yet.
        showProblem(input, /^#[0-9a-f]{0,5}$/i.test(colour) ? "" : frame.dataset.wrong);
        return;
      }
      showProblem(input, "");
      frame.src = frame.dataset.previewBase + encodeURIComponent(colour);
      const answer = await fetch(frame.dataset.wordsBase + encodeURIComponent(colour)).catch(() => null);
      const hint = document.getElementById(`${input.id}-hint`);
      if (hint && answer?.ok && input.value.trim() === colour) hint.textContent = await answer.text();
    });
  }
}

/** `form[data-confirm]` names a text that must be typed before its dangerous button wakes, in whichever case. As soon as
    something else is typed, the field says which character it is: 0 and O are easily taken for each other. */
function guardConfirmations(root) {
  for (const form of root.querySelectorAll("form[data-confirm]")) {
    const field = form.querySelector("[data-confirm-field]");
    const input = field?.querySelector("input");
    const button = form.querySelector("[data-confirm-button]");
    if (!input || !button) continue;
    const update = () => { button.disabled = !isSameText(input.value.trim(), form.dataset.confirm); };
    input.addEventListener("input", () => {
      update();
      if (field.dataset.differs) showProblem(input, difference(input.value.trim(), form.dataset.confirm, field.dataset));
    });
    update();
  }
}

function isSameText(typed, expected) {
  return typed.toLowerCase() === expected.toLowerCase();
}

/** The first character that is another one than expected, in the words of the page; nothing while all that is typed is
    right so far. */
function difference(typed, expected, words) {
  const [left, right] = [characters(typed), characters(expected)];
  const place = left.findIndex((character, index) => !isSameText(character, right[index] ?? ""));
  if (place < 0) return "";
  if (place >= right.length) return filled(words.long, { expected, rest: left.slice(place).join("") });
  const name = (character) => {
    const kind = /[0-9]/.test(character) ? words.digit : /[a-z]/i.test(character) ? words.letter : words.other;
    return filled(kind, { character });
  };
  const values = { expected, position: place + 1, typed: name(left[place]), right: name(right[place]) };
  return filled(words.differs, values);
}

/** What a reader takes for one character, as the server counts them. */
function characters(text) {
  if (!window.Intl?.Segmenter) return Array.from(text);
  return Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);
}

/** Puts values in the places of `%name`, all at once: a value may hold what looks like another place. */
function filled(words, values) {
  return words.replace(/%([a-z]+)/g, (place, name) => values[name] ?? place);
}

/** A second click on a submit button would send the form twice. A download leaves its page in place, so `data-download`
    forms may go again: the server says that it is over, where a dead button would say nothing. */
function submitOnce(event) {
  if (event.defaultPrevented || event.target.method !== "post" || "download" in event.target.dataset) return;
  if (event.target.dataset.sent) event.preventDefault();
  event.target.dataset.sent = "yes";
}

/** What can be downloaded once is gone from its page a moment later: the page is shown as it is by then. It is not loaded
    again, which would break off wherever its reader is going meanwhile. */
async function renewAfterDownload(event) {
  if (event.target.dataset.download !== "once") return;
  await new Promise((done) => setTimeout(done, 1500));
  // The reader may have left meanwhile.
  const renewed = await freshMain();
  if (!renewed) return;
  document.querySelector("main").replaceWith(renewed);
  prepare(renewed);
}

/** `[data-pending]` in a page stands for what is about to happen: the page is shown anew every two seconds, a minute at most,
    until it is there. Nothing changes under the hands of a reader, or while nobody looks. */
async function followPending(root, rounds = 30) {
  if (!root.querySelector("[data-pending]") || rounds === 0) return;
  await new Promise((done) => setTimeout(done, 2000));
  const main = document.querySelector("main");
  if (document.hidden || main?.querySelector(":focus")) return followPending(document, rounds - 1);
  const renewed = await freshMain();
  if (!renewed || !main) return followPending(document, rounds - 1);
  const flash = main.querySelector(".flash");
  if (flash) renewed.prepend(flash);
  main.replaceWith(renewed);
  prepare(renewed, rounds - 1);
}

/** The main part of this page as it is by now. */
async function freshMain() {
  const text = await fetch(location.href).then((answer) => (answer.ok ? answer.text() : "")).catch(() => "");
  return new DOMParser().parseFromString(text, "text/html").querySelector("main");
}

/** Shows what the server says of the field that was just typed in, and nothing of those not reached yet. */
function showProblem(input, message) {
  const id = `${input.id}-error`;
  let note = document.getElementById(id);
  if (!message) {
    note?.remove();
    input.removeAttribute("aria-invalid");
    const hint = document.getElementById(`${input.id}-hint`);
    if (hint) input.setAttribute("aria-describedby", hint.id);
    else input.removeAttribute("aria-describedby");
    return;
  }
  if (!note) {
    note = document.createElement("p");
    note.className = "field-error";
    note.id = id;
    note.setAttribute("role", "status");
    (input.closest("li, .field") ?? input.parentElement).append(note);
  }
  const sentences = message.split("\n");
  if (note.textContent !== sentences.join("")) {
    const lines = document.createElement("span");
    lines.append(...sentences.map((sentence) => Object.assign(document.createElement("span"), {
      className: "line", textContent: sentence,
    })));
    note.replaceChildren(...alertIcon(), lines);
  }
  input.setAttribute("aria-invalid", "true");
  input.setAttribute("aria-describedby", id);
}

/** The sign beside an error, as pages have it, from wherever a page has its signs. */
function alertIcon() {
  const signs = document.querySelector("svg.icon use")?.getAttribute("href")?.split("#")[0];
  if (!signs) return [];
  const icon = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  icon.setAttribute("class", "icon");
  icon.setAttribute("aria-hidden", "true");
  icon.append(document.createElementNS("http://www.w3.org/2000/svg", "use"));
  icon.firstChild.setAttribute("href", `${signs}#alert`);
  return [icon];
}

/** `form[data-check]` names the address where the server checks the form as it stands, as it would on submit. */
function checkAsTyped(form) {
  let timer, latest;
  const touched = new Set();
  const check = async () => {
    latest?.abort();
    latest = new AbortController();
    try {
      const answer = await fetch(form.dataset.check, {
        method: "POST", body: new URLSearchParams(new FormData(form)), signal: latest.signal,
      });
      if (!answer.ok) return;
      const { problems } = await answer.json();
      for (const input of touched) {
        const messages = problems.filter((problem) => problem.id === input.id).map((problem) => problem.message);
        showProblem(input, messages.join("\n"));
      }
    } catch {
      // The server checks again on submit.
    }
  };
  form.addEventListener("input", (event) => {
    if (!event.target.id) return;
    touched.add(event.target);
    clearTimeout(timer);
    timer = setTimeout(check, 400);
  });
  // Its answer would take the message that the next page is about to show.
  form.addEventListener("submit", () => {
    clearTimeout(timer);
    latest?.abort();
  });
}

/** `[data-fill-file]` holds a file input that fills a text area; a Key ID in the file's name goes where it belongs. */
function fillFromFile(label) {
  const area = document.getElementById(label.dataset.fillFile);
  const name = document.getElementById(label.dataset.fillName);
  label.hidden = false;
  label.querySelector("input").addEventListener("change", async (event) => {
    const file = event.target.files[0];
    if (!file || file.size > 65536) return;
    area.value = await file.text();
    const id = /AuthKey_([A-Z0-9]{10})/.exec(file.name)?.[1];
    if (id && name && !name.value) name.value = id;
    area.dispatchEvent(new Event("input", { bubbles: true }));
  });
}

document.addEventListener("click", (event) => {
  const copy = event.target.closest("[data-copy]");
  if (copy) copyFrom(copy);
  event.target.closest("[data-dismiss]")?.closest(".flash")?.remove();
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    menu.open = false;
    menu.querySelector("summary").focus();
  }
});

document.addEventListener("submit", submitOnce);
document.addEventListener("submit", renewAfterDownload);
// A page restored by the Back button must be able to send its forms again.
window.addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[data-sent]")) delete form.dataset.sent;
});

/** Where text is left in one piece: what is raw, and what is the name of something, which is read out as it stands. */
const WHOLE = "a, button, label, legend, summary, h1, h2, h3, h4, th, pre, textarea, option, script, style, svg, .clip";

/** Long addresses and names break between their parts, where a line ends in the middle of one. What is copied is the text
    alone. */
function breakAtParts(root) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) {
    const text = walker.currentNode;
    if (/\S{20}/.test(text.data) && !text.parentElement.closest(WHOLE)) texts.push(text);
  }
  for (const text of texts) {
    const words = text.data.split(/(\S{20,})/);
    text.replaceWith(...words.flatMap((word, index) => (index % 2 === 1 ? withBreaks(word) : [word])));
  }
}

function withBreaks(word) {
  const parts = word.match(/[^/.?&=:;,@_-]*[/.?&=:;,@_-]*/g).filter(Boolean);
  return parts.flatMap((part, index) => (index === 0 ? [part] : [document.createElement("wbr"), part]));
}

/** A `[data-reveal]` button shows the password in the field it controls, and hides it again. The field is one of a password
    when it is sent, so that browsers offer to keep it and nothing else remembers it. */
function offerToReveal(button) {
  const input = document.getElementById(button.getAttribute("aria-controls"));
  if (!input) return;
  const show = (isShown) => {
    input.type = isShown ? "text" : "password";
    button.setAttribute("aria-pressed", isShown);
  };
  button.hidden = false;
  button.addEventListener("click", () => show(button.getAttribute("aria-pressed") !== "true"));
  input.form?.addEventListener("submit", () => show(false));
}

/** What pages have once they are here, and a part of one that is put in later. */
function prepare(root, rounds) {
  showLocalTimes(root);
  breakAtParts(root === document ? document.body : root);
  guardConfirmations(root);
  for (const form of root.querySelectorAll("form[data-check]")) checkAsTyped(form);
  for (const label of root.querySelectorAll("[data-fill-file]")) fillFromFile(label);
  for (const button of root.querySelectorAll("[data-reveal]")) offerToReveal(button);
  followPreviews(root);
  followPending(root, rounds);
}

prepare(document);
