// Federation: sign-in by way of other identity providers, one folder for each below Providers.
//
// Owns: requests to providers, the users' identities there and their links to accounts, upstream tokens until their
// revocation, providers' notifications, and the sign-in of native apps.
// Must not know: incoming HTTP, HTML, cookies; passwords.
// Standards: Apple's Sign in with Apple REST API, RFC 6749, RFC 7636, RFC 7519, OpenID Connect Core 1.0.
