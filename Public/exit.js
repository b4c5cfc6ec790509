// Posts the answer back to the app without waiting for a click; the visible button does the same.
const form = document.querySelector("form[data-exit]");
if (form) HTMLFormElement.prototype.submit.call(form);

// Or tells the window that opened this one, at its own origin alone, and goes. Without that window nobody can be told:
// it was closed, or its site parts it from others by Cross-Origin-Opener-Policy.
const note = document.querySelector("[data-message]");
if (note && window.opener && !window.opener.closed) {
  window.opener.postMessage(note.dataset.message, note.dataset.origin);
  window.close();
} else if (note) {
  for (const part of note.querySelectorAll("[data-told]")) part.hidden = part.dataset.told === "yes";
  document.title = note.querySelector("[data-told=no]").textContent;
}
