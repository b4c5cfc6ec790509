// AppleID.auth for web pages, with the calls, settings, attributes and events of Apple's own script. Each team's
// /auth/js calls this function with the team's addresses and texts.
(function (team) {
  "use strict";
  const names = {
    clientId: "client-id", scope: "scope", redirectURI: "redirect-uri", state: "state", nonce: "nonce",
    usePopup: "use-popup", codeChallenge: "code-challenge", codeChallengeMethod: "code-challenge-method",
  };
  let settings = null;
  let current = null;

  // Settings of the page's <meta> elements, such as <meta name="appleid-signin-client-id" content="…">.
  function fromPage() {
    const found = {};
    for (const [key, name] of Object.entries(names)) {
      const element = document.querySelector(`meta[name="appleid-signin-${name}"]`);
      if (element) found[key] = key === "usePopup" ? element.content === "true" : element.content;
    }
    return found;
  }

  // What is there of each setting's type; the rest is ignored, as the null that wrappers pass for what a page leaves out.
  function taken(given) {
    const found = {};
    for (const key of Object.keys(names)) {
      const value = given?.[key];
      if (typeof value === (key === "usePopup" ? "boolean" : "string") && value !== "") found[key] = value;
    }
    return found;
  }

  function complete(all) {
    for (const key of ["clientId", "redirectURI"]) if (!all[key]) throw new Error(`The "${key}" should be a string.`);
    return all;
  }

  function init(given) {
    settings = complete({ ...fromPage(), ...settings, ...taken(given) });
    renderButton();
  }

  function address(of) {
    const query = {
      client_id: of.clientId, redirect_uri: of.redirectURI, response_type: "code id_token", state: of.state,
      scope: of.scope, nonce: of.nonce, code_challenge: of.codeChallenge,
      code_challenge_method: of.codeChallengeMethod, response_mode: of.usePopup ? "web_message" : "form_post",
      ui_locales: team.language,
    };
    const given = Object.entries(query).filter(([, value]) => value);
    return `${team.base}/auth/authorize?${given.map((pair) => pair.map(encodeURIComponent).join("=")).join("&")}`;
  }

  function signIn(given) {
    if (!settings) throw new Error("The \"init\" function must be called first.");
    const asked = { ...settings, ...taken(given) };
    if (!asked.usePopup) {
      window.location.assign(address(asked));
      return new Promise(() => {}); // the page is left
    }
    current?.end({ error: "user_trigger_new_signin_flow" });
    const popup = window.open(address(asked), "_blank", "width=700,height=700");
    const answer = popup ? answerOf(popup) : Promise.reject({ error: "popup_blocked_by_browser" });
    return answer.then((data) => tell("Success", data) || data, (data) => {
      tell("Failure", data);
      throw data;
    });
  }

  function answerOf(popup) {
    return new Promise((resolve, reject) => {
      const attempt = { end };
      // A window that has told its answer closes itself, so its message is waited for a moment longer.
      const watch = setInterval(() => {
        if (popup.closed) setTimeout(end, 300, { error: "popup_closed_by_user" });
      }, 300);
      function heard(event) {
        if (event.origin !== new URL(team.base).origin || event.source !== popup) return;
        let message;
        try { message = JSON.parse(event.data); } catch { return; }
        if (message?.method === "oauthDone") end(message.data);
      }
      function end(data) {
        clearInterval(watch);
        window.removeEventListener("message", heard);
        if (current === attempt) current = null;
        (data.error ? reject : resolve)(data);
      }
      current = attempt;
      window.addEventListener("message", heard);
    });
  }

  function tell(outcome, detail) {
    document.dispatchEvent(new CustomEvent(`AppleIDSignInOn${outcome}`, { detail }));
  }

  // The button: attributes data-* of the element, or options in their place.
  function renderButton(given) {
    const options = given ?? {};
    const place = document.getElementById(options.id || "appleid-signin");
    if (!place) return;
    const option = (name, otherwise) => {
      const key = name.replace(/-(.)/g, (_, letter) => letter.toUpperCase());
      return String(options[key] ?? options[name] ?? place.dataset[key] ?? otherwise);
    };
    const length = (name, least, most, otherwise) => {
      const text = option(name, otherwise);
      if (text === "100%") return text;
      return `${Math.min(most, Math.max(least, parseInt(text, 10) || parseInt(otherwise, 10) || least))}px`;
    };
    const mode = option("mode", "center-align");
    const isWhite = option("color", "black") === "white";
    const [front, back] = isWhite ? ["#000", "#fff"] : ["#fff", "#000"];
    const label = { continue: team.continue, "sign-up": team.signUp }[option("type", "sign-in")] ?? team.signIn;
    const isLogo = mode === "logo-only";
    const height = isLogo ? length("size", 30, 64, "44") : length("height", 30, 64, "100%");
    const button = document.createElement("div");
    Object.assign(button.style, {
      alignItems: "center", background: back, boxSizing: "border-box", color: front, cursor: "pointer",
      border: option("border", "true") === "false" ? "0" : `1px solid ${isWhite ? "#000" : back}`,
      borderRadius: isLogo ? "50%" : `${Math.min(50, Math.max(0, parseInt(option("border-radius", "15"), 10) || 0))}px`,
      display: "flex", fontFamily: "-apple-system, system-ui, sans-serif", fontWeight: "500", gap: "0.4em",
      height, justifyContent: mode === "left-align" ? "flex-start" : "center", maxHeight: "64px", minHeight: "30px",
      minWidth: isLogo ? "0" : "130px", overflow: "hidden", padding: "0", userSelect: "none",
      whiteSpace: "nowrap", width: isLogo ? height : length("width", 130, 375, "100%"),
    });
    button.setAttribute("role", "button");
    button.setAttribute("aria-label", label);
    button.tabIndex = 0;
    button.append(mark(isWhite));
    const title = Object.assign(document.createElement("span"), { textContent: isLogo ? "" : label });
    Object.assign(title.style, { overflow: "hidden", textOverflow: "ellipsis" });
    if (!isLogo) button.append(title);
    button.addEventListener("click", () => signIn().catch(() => {})); // told by the event
    button.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      button.click();
    });
    place.replaceChildren(button);
    // Apple's guidelines: the title is 43 % as high as the button, with 8 % of its width at either side.
    const size = button.clientHeight * 0.43;
    button.style.fontSize = `${size}px`;
    const share = (button.clientWidth * 0.84) / (title.scrollWidth + 1.9 * size);
    if (isLogo) return;
    button.style.padding = `0 ${button.clientWidth * 0.08}px`;
    if (share < 1) button.style.fontSize = `${Math.max(10, size * share)}px`;
  }

  // Apple's logo comes from Apple, and only where people sign in at Apple alone; else the team's logo, or Pippin's mark.
  function mark(isWhite) {
    const image = new Image();
    image.alt = "";
    const apple = "https://appleid.cdn-apple.com/appleid/button/logo?border=false&border_radius=0&size=64&color=";
    image.src = team.isApple ? apple + (isWhite ? "white" : "black") : team.logo || `data:image/svg+xml,${encodeURIComponent(
      `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" fill="${isWhite ? "#000" : "#fff"}">`
      + '<path d="M16 13.2c4.4 4.3 6.4 7.6 6.4 11a6.4 6.4 0 0 1-12.8 0c0-3.4 2-6.7 6.4-11z"/>'
      + '<path d="M16 13.4C16 6.8 20.3 3 28 3c0 7-4.8 10.4-12 10.4z"/>'
      + '<path d="M16 13.4C16 9 12.6 6.4 6.8 6.4c0 4.7 3.7 7 9.2 7z"/></svg>')}`;
    Object.assign(image.style, { height: team.isApple ? "1.6em" : "1.1em", width: "auto" });
    image.addEventListener("error", () => image.remove());
    return image;
  }

  window.AppleID = { auth: { init, signIn, renderButton } };
  const begin = () => {
    if (!settings && fromPage().clientId) init({});
    document.dispatchEvent(new Event("AppleIDSigInLoaded")); // spelled so by Apple
  };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin);
  else begin();
})
