// Doctor: what is right and what is wrong with a team's set-up, seen live from outside.
//
// Owns: tests of connections to Apple, check-ups of a team, the watch over what Apple publishes of itself.
// Must not know: pages, incoming HTTP; how a sign-in goes on.
// Standards: Apple's Sign in with Apple REST API and TN3107, OpenID Connect Discovery 1.0.
