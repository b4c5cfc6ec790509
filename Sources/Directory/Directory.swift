// Directory: the people of a team, how they prove who they are, and what they let an app know.
//
// Owns: users and their login names, passwords and the limits on guessing them, second factors, sessions at the
// hosted pages, consents with the relay addresses they give out, and the claims that follow from them.
// Must not know: HTTP, cookies, pages, authorization requests and tokens, other than that ending a consent or a
// user ends their codes and refresh tokens.
// Standards: RFC 5321 section 4.5.3.1 (limits of addresses), NIST SP 800-63B section 5.1.1 (passwords), 5.1.2
// (recovery codes) and 5.2.2 (limits on guessing), RFC 9106 (Argon2id), RFC 6238 (one-time codes), Web
// Authentication Level 3 (passkeys), OpenID Connect Core section 5.1 (claims).
