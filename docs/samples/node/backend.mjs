// A backend that signs people in through Pippin, in Node 18 without a package. See README.md.

import crypto from "node:crypto";
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { createServer } from "node:http";

const needed = {
  BASE_URL: "your team's base at Pippin, such as https://id.example.com/t/ACMETEAM01",
  TEAM_ID: "your Team ID at Pippin",
  CLIENT_ID: "the identifier of a Service ID",
  KEY_ID: "the Key ID of a key that Pippin issued",
  KEY_FILE: "the path of its file, AuthKey_<KEY_ID>.p8",
  ORIGIN: "where people reach this server; ORIGIN/callback is a return URL of the Service ID",
};
const quit = (reason) => { console.error(reason); process.exit(1); };
const missing = Object.keys(needed).filter((name) => !process.env[name]).map((name) => `  ${name}: ${needed[name]}`);
if (missing.length) quit(`Set these environment variables:\n${missing.join("\n")}`);
const { BASE_URL, TEAM_ID, CLIENT_ID, KEY_ID, KEY_FILE, ORIGIN } = process.env;
const { BUNDLE_ID = "", DATA_FILE = "people.json", PORT = 9000, CHECK_SECONDS = 86_400 } = process.env;
let privateKey, page;
try {
  privateKey = crypto.createPrivateKey(readFileSync(KEY_FILE));
  page = readFileSync(new URL("../page.html", import.meta.url));
} catch (error) {
  quit(`Cannot read KEY_FILE, ${KEY_FILE}, or page.html: ${error.message}`);
}
// Users by `sub`, and sessions by the hash of their id, so that a copy of the file signs no one in.
const data = existsSync(DATA_FILE) ? JSON.parse(readFileSync(DATA_FILE)) : { people: {}, sessions: {} };
const { people, sessions } = data;
let keys = { set: new Map(), fetched: 0 };

// Why a request fails: a status, and a word that page.html and the apps have a sentence for.
class Problem extends Error { constructor(status, word) { super(word); this.status = status; } }

// The file is on disk when this returns, and never half-written.
function save() {
  const file = openSync(`${DATA_FILE}.new`, "w", 0o600);
  writeSync(file, JSON.stringify(data, null, 1));
  fsyncSync(file);
  closeSync(file);
  renameSync(`${DATA_FILE}.new`, DATA_FILE);
}

const now = () => Math.floor(Date.now() / 1000);
const random = () => crypto.randomBytes(32).toString("base64url");
const digest = (text) => crypto.createHash("sha256").update(text).digest("hex");
// Of the digests, which are of one length, and in constant time: no value is found letter by letter.
const same = (one, other) => crypto.timingSafeEqual(Buffer.from(digest(one)), Buffer.from(digest(other)));
const json = (part) => JSON.parse(Buffer.from(part, "base64url"));

// Made anew for each call: then none is ever too old.
function clientSecret(clientID) {
  const claims = { iss: TEAM_ID, sub: clientID, aud: BASE_URL, iat: now(), exp: now() + 300 };
  const text = [{ alg: "ES256", kid: KEY_ID }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  // A JWT has the two numbers side by side (RFC 7518 section 3.4), not the DER that OpenSSL makes.
  return `${text}.${crypto.sign("sha256", text, { key: privateKey, dsaEncoding: "ieee-p1363" }).toString("base64url")}`;
}

// Calls Pippin. 400 is a refusal; any other failure is temporary.
async function call(path, clientID, form) {
  const body = new URLSearchParams({ ...form, client_id: clientID, client_secret: clientSecret(clientID) });
  const asked = { method: "POST", body, redirect: "error", signal: AbortSignal.timeout(30_000) };
  const answer = await fetch(`${BASE_URL}/auth/${path}`, asked).catch(() => ({ status: 503 }));
  if (answer.status === 400) throw new Problem(400, (await answer.json()).error);
  if (answer.status >= 300) throw new Problem(503, "try_later");
  const text = await answer.text();
  return text ? JSON.parse(text) : {};
}

// A key by its kid. For an unknown one the set is fetched again, once a minute at most: keys change without notice.
async function key(kid) {
  if (!keys.set.has(kid) && now() - keys.fetched >= 60) {
    const answer = await fetch(`${BASE_URL}/auth/keys`, { signal: AbortSignal.timeout(30_000) }).catch(() => null);
    if (!answer?.ok) throw new Problem(503, "try_later");
    const set = (await answer.json()).keys.map((jwk) => [jwk.kid, crypto.createPublicKey({ key: jwk, format: "jwk" })]);
    keys = { set: new Map(set), fetched: now() };
  }
  return keys.set.get(kid);
}

// The claims of an identity token that Pippin signed for this client and, by its nonce, for this very sign-in.
async function verify(token, audience, nonce) {
  try {
    const [head, body, signature] = token.split(".");
    const { alg, kid } = json(head);
    const signer = alg === "RS256" && (await key(kid));
    const isSigned = signer && crypto.verify("sha256", `${head}.${body}`, signer, Buffer.from(signature, "base64url"));
    const claims = isSigned ? json(body) : {};
    const isGood = claims.iss === BASE_URL && claims.aud === audience && claims.exp > now() && claims.sub;
    if (isGood && (nonce === undefined || claims.nonce === nonce)) return claims;
  } catch (error) {
    if (error instanceof Problem) throw error;
  }
  throw new Problem(400, "bad_token");
}

// Stores a user and, in the same write, the name that comes once in the life of an account.
function remember(claims, user) {
  // The key is `sub`, never the email address: it may be a relay's, it changes, and two people may share one. It is
  // taken from the signed claims. The name is not signed: display it, never decide by it.
  const person = people[claims.sub] ??= {};
  for (const [field, said] of [["first_name", "firstName"], ["last_name", "lastName"]]) {
    if (user.name?.[said]) person[field] = String(user.name[said]).slice(0, 100);
  }
  if (claims.email) person.email = claims.email;
  save();
}

// Our own session, as long as we like, with Pippin's refresh token beside it.
function begin(claims, client_id, tokens, challenge = "") {
  const session = random();
  const { refresh_token } = tokens;
  sessions[digest(session + challenge)] = { sub: claims.sub, client_id, refresh_token, checked: now(), ended: false };
  save();
  return session;
}

// One call per token. A call that fails is repeated at the next sign-out and the next start.
async function finishSignOuts() {
  for (const [key, { sub, client_id, refresh_token, ended }] of Object.entries(sessions)) {
    if (!ended) continue;
    try {
      await call("sign-out", client_id, { sub, refresh_token });
      delete sessions[key];
      save();
    } catch (error) {
      console.error(`A sign-out waits: ${error.message}`);
    }
  }
}

// With Lax, no form on another site can sign a user out or delete an account.
const cookie = (name, value, age = 31_536_000, sameSite = "Lax") =>
  ({ "Set-Cookie": `${name}=${value}; Path=/; Max-Age=${age}; HttpOnly; Secure; SameSite=${sameSite}` });

// The session of a request: a cookie from a browser, a Bearer token from an app (with its secret on Android).
async function sessionOf({ headers, cookies }) {
  const bearer = (headers.authorization ?? "").replace("Bearer ", "");
  const [token, secret] = (bearer || (cookies.session ?? "")).split(".");
  const key = digest(token + (secret ? digest(secret) : ""));
  const session = sessions[key];
  if (!session || session.ended) throw new Problem(401, "signed_out");
  if (now() - session.checked >= CHECK_SECONDS) await check(key, session);
  return [key, session];
}

// Checks with Pippin, once a day, that the user still uses this app.
async function check(key, session) {
  try {
    const { client_id, refresh_token } = session;
    await call("token", client_id, { grant_type: "refresh_token", refresh_token });
    session.checked = now();
  } catch (error) {
    if (error.message !== "invalid_grant") return; // Other failures do not sign the user out.
    delete sessions[key];
    throw new Problem(401, "signed_out");
  } finally {
    save();
  }
}

const routes = {
  "GET /": () => [200, page],

  "GET /sign-in"({ form }) {
    const [state, nonce] = [random(), random()];
    const query = new URLSearchParams({
      client_id: CLIENT_ID, redirect_uri: `${ORIGIN}/callback`, response_type: "code id_token",
      response_mode: "form_post", scope: "name email", state, nonce,
    });
    // The answer is a POST from another site: browsers add no cookie to it but one that is SameSite=None.
    const attempt = cookie("attempt", `${state}.${nonce}.${encodeURIComponent(form.challenge ?? "")}`, 1800, "None");
    return [303, {}, { ...attempt, Location: `${BASE_URL}/auth/authorize?${query}` }];
  },

  async "POST /callback"({ form, cookies }) {
    // What this browser began: the state and the nonce that went along, and the challenge of an Android app.
    const [state, nonce, challenge] = (cookies.attempt ?? "").split(".");
    // Else a link could sign people in as its sender.
    if (!state || !same(form.state ?? "", state)) throw new Problem(403, "other_browser");
    if (form.error) throw new Problem(400, form.error);
    const claims = await verify(form.id_token ?? "", CLIENT_ID, nonce);
    // Before the code is spent, which can fail: the name does not come again.
    remember(claims, JSON.parse(form.user ?? "{}"));
    const tokens = await call("token", CLIENT_ID, {
      grant_type: "authorization_code", code: form.code ?? "", redirect_uri: `${ORIGIN}/callback` });
    const { sub } = await verify(tokens.id_token, CLIENT_ID, nonce);
    if (sub !== claims.sub) throw new Problem(400, "bad_token");
    const session = begin(claims, CLIENT_ID, tokens, challenge);
    // An app's session goes through the page and opens nothing without the app's secret; a browser's is a cookie.
    if (challenge) return [303, {}, { Location: `/?session=${session}` }];
    return [303, {}, { Location: "/", ...cookie("session", session) }];
  },

  // What Apple's own sheet gave an iOS app, which keeps the name until this has answered 200.
  async "POST /native"({ form }) {
    const tokens = await call("native", BUNDLE_ID, form);
    const claims = await verify(tokens.id_token, BUNDLE_ID);
    remember(claims, tokens.user ?? {});
    return [200, { session: begin(claims, BUNDLE_ID, tokens) }];
  },

  "GET /me": (request) => sessionOf(request).then(([, { sub }]) => [200, { sub, ...people[sub] }]),

  // Signs out here at once, whatever Pippin answers; with `everywhere`, on the user's other devices too.
  async "POST /sign-out"(request) {
    const [key, { sub }] = await sessionOf(request);
    for (const [other, one] of Object.entries(sessions)) {
      one.ended ||= other === key || ("everywhere" in request.form && one.sub === sub);
    }
    save();
    await finishSignOuts();
    return [200, {}, cookie("session", "", 0)];
  },

  // Pippin first: it revokes every token, Apple's too, and answers a repeated request with the same receipt.
  async "POST /delete-account"(request) {
    const [, { sub, client_id }] = await sessionOf(request);
    const receipt = await call("delete-account", client_id, { sub }).catch((error) => {
      if (error.message !== "invalid_request") throw error;
      return {}; // Pippin does not know them any more: they stopped using the app.
    });
    delete people[sub];
    for (const [key, one] of Object.entries(sessions)) if (one.sub === sub) delete sessions[key];
    save();
    return [200, { receipt_url: receipt.receipt_url ?? null }, cookie("session", "", 0)];
  },
};

await finishSignOuts();
createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, ORIGIN);
  let body = "";
  for await (const part of request) if (body.length < 65_536) body += part;
  const form = Object.fromEntries(body ? new URLSearchParams(body) : searchParams);
  const pairs = (request.headers.cookie ?? "").split("; ").map((pair) => pair.split("="));
  const handle = routes[`${request.method} ${pathname}`] ?? (() => [404, { error: "not_found" }]);
  const [status, answer, headers] = await Promise.resolve()
    .then(() => handle({ form, cookies: Object.fromEntries(pairs), headers: request.headers }))
    .catch((error) => {
      const { status, message } = error instanceof Problem ? error : (console.error(error), new Problem(500, "failed"));
      const where = pathname === "/callback" ? { Location: `/?error=${encodeURIComponent(message)}` } : {};
      return [where.Location ? 303 : status, { error: message }, where];
    });
  const kind = answer === page ? "text/html" : "application/json";
  response.writeHead(status, { "Content-Type": `${kind}; charset=utf-8`, "Cache-Control": "no-store", ...headers });
  response.end(answer === page ? page : JSON.stringify(answer));
}).listen(PORT, "127.0.0.1", () => console.log(`Listening on http://127.0.0.1:${PORT} for ${ORIGIN}`));
