// Small comforts on top of pages that work without them: copy buttons, times in the reader's zone,
// a flash that can be closed, menus that close, and buttons that wait for the typed confirmation.
"use strict";

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

/** `<time>` holds UTC from the server: shows the reader's zone and keeps UTC as the title. */
function showLocalTimes() {
  const format = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
  for (const element of document.querySelectorAll("time[datetime]")) {
    const instant = new Date(element.dateTime);
    if (Number.isNaN(instant.getTime())) continue;
    element.title = element.textContent.trim();
    element.textContent = format.format(instant);
  }
}

/** `form[data-confirm]` names a text that must be typed before its dangerous button wakes. */
function guardConfirmations() {
  for (const form of document.querySelectorAll("form[data-confirm]")) {
    const input = form.querySelector("[data-confirm-field] input");
    const button = form.querySelector("[data-confirm-button]");
    if (!input || !button) continue;
    const update = () => { button.disabled = input.value.trim() !== form.dataset.confirm; };
    input.addEventListener("input", update);
    update();
  }
}

/** A second click on a submit button would send the form twice. A download leaves its page in place, so `data-download`
    forms may go again: the server says that it is over, where a dead button would say nothing. */
function submitOnce(event) {
  if (event.defaultPrevented || event.target.method !== "post" || "download" in event.target.dataset) return;
  if (event.target.dataset.sent) event.preventDefault();
  event.target.dataset.sent = "yes";
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
// A page restored by the Back button must be able to send its forms again.
window.addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[data-sent]")) delete form.dataset.sent;
});

showLocalTimes();
guardConfirmations();
