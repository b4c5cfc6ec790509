// Doctor: live checks of a team's set-up from outside, and their findings.
//
// Owns: tests of connections to Apple, check-ups of a team, the watch over documents that Apple publishes.
// Must not know: pages, incoming HTTP; the steps of a sign-in.
// Standards: Apple's Sign in with Apple REST API and TN3107, OpenID Connect Discovery 1.0.
