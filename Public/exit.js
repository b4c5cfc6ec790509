// Posts the answer back to the app without waiting for a click; the visible button does the same.
const form = document.querySelector("form[data-exit]");
if (form) HTMLFormElement.prototype.submit.call(form);
