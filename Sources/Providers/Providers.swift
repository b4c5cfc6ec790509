// Providers: places outside where people prove who they are, one folder each.
//
// Owns: how Apple is spoken to: client secrets, the exchange of codes, its signing keys, what its tokens are worth.
// Must not know: what becomes of a person, a consent, a token of ours; incoming HTTP.
// Standards: Apple's Sign in with Apple REST API, RFC 6749, RFC 7636, RFC 7519, OpenID Connect Core 1.0.
