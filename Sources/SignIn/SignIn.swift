// SignIn: the pages of people who sign in and the protocol's endpoints, below `/t/{team}`.
//
// Owns: their addresses, statuses, header fields and cookies; the parts that all pages share: the views of form fields and
// errors, form tokens, security header fields, user-facing errors.
// Must not know: SQL, how tokens are made.
// Standards: RFC 6749, RFC 7009, OAuth 2.0 Form Post Response Mode, OpenID Connect Discovery 1.0, Content Security Policy
// Level 3, RFC 6265 (cookies).
