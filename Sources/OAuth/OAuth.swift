// OAuth: the server side of Sign in with Apple, as the apps of a team use it.
//
// Owns: the protocol's view of a team's registry, authorization requests, interactions, consents, codes, tokens, signing
// keys, grants, revocation, introspection, discovery, user migration, test sign-ins, the events of a trace, the end of each
// authorization, and the notifications that apps receive about it.
// Must not know: incoming HTTP, HTML, cookies; how a user authenticates; the protocol of other identity providers.
// Standards: RFC 6749, OpenID Connect Core 1.0, RFC 7636 (PKCE), RFC 7009 (revocation), RFC 7662 (introspection),
// RFC 7523 as Apple narrows it (client secrets), Apple's REST API, TN3107, TN3159, TN3194.
