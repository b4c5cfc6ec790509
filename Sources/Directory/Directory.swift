// Directory: the users of a team and how they authenticate.
//
// Owns: users and their login names, passwords and the limits on guessing them, second factors, sessions at the hosted
// pages, mailed links, invitations.
// Must not know: HTTP, cookies, pages, authorization requests, consents and tokens; other identity providers.
// Standards: RFC 5321 section 4.5.3.1 (limits of addresses), NIST SP 800-63B section 5.1.1 (passwords), 5.1.2
// (recovery codes) and 5.2.2 (limits on guessing), RFC 9106 (Argon2id), RFC 6238 (one-time codes), Web
// Authentication Level 3 (passkeys), OpenID Connect Core section 5.1 (claims).
