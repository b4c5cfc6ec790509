// Passkeys: asks the browser for one and sends what it answers as an ordinary form. Also the button that prints.
"use strict";

/** Bytes of base64url, and back. */
const decode = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
const encode = (buffer) => {
  if (!buffer) return "";
  const bytes = Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte)).join("");
  return btoa(bytes).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
};

/** The form's options with their binary members as the browser wants them. */
function optionsOf(form) {
  const options = JSON.parse(form.dataset.passkeyOptions);
  options.challenge = decode(options.challenge);
  if (options.user) options.user.id = decode(options.user.id);
  for (const list of [options.excludeCredentials, options.allowCredentials]) {
    for (const credential of list ?? []) credential.id = decode(credential.id);
  }
  return options;
}

/** Fills the form with what an authenticator answered, and sends it. */
function send(form, credential) {
  const { response } = credential;
  const values = {
    credential_id: encode(credential.rawId),
    client_data: encode(response.clientDataJSON),
    authenticator_data: encode(response.authenticatorData ?? response.getAuthenticatorData()),
    signature: encode(response.signature),
    user_handle: encode(response.userHandle),
    transports: response.getTransports?.().join(" ") ?? "",
  };
  for (const [name, value] of Object.entries(values)) form.elements.namedItem(name).value = value;
  form.dataset.answered = "yes";
  form.requestSubmit();
}

/** The one request that may be open: a browser refuses a second. */
let pending;

async function ask(form, mediation) {
  pending?.abort();
  pending = new AbortController();
  const { signal } = pending;
  const dismissed = form.querySelector("[data-passkey-dismissed]");
  dismissed.hidden = true;
  try {
    const publicKey = optionsOf(form);
    const kind = form.dataset.passkey === "create" ? "create" : "get";
    const credential = await navigator.credentials[kind]({ publicKey, signal, ...(mediation && { mediation }) });
    if (credential) send(form, credential);
  } catch (error) {
    // Another request took over, or nobody chose from the name field: nothing the person did.
    if (error.name !== "AbortError" && !mediation) dismissed.hidden = false;
  }
}

async function offerInNameField(form) {
  if (await PublicKeyCredential.isConditionalMediationAvailable?.()) ask(form, "conditional");
}

for (const form of document.querySelectorAll("form[data-passkey]")) {
  if (!window.PublicKeyCredential) {
    for (const note of document.querySelectorAll("[data-passkey-absent]")) note.hidden = false;
    break;
  }
  form.hidden = false;
  form.addEventListener("submit", (event) => {
    if (form.dataset.answered) return;
    event.preventDefault();
    ask(form);
  });
  if (form.dataset.passkeyConditional) offerInNameField(form);
}

for (const button of document.querySelectorAll("[data-print]")) {
  button.hidden = false;
  button.addEventListener("click", () => window.print());
}

// A page restored by the Back button asks anew.
window.addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[data-answered]")) delete form.dataset.answered;
});
