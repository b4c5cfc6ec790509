// Accounts: what happens around a sign-in, across the modules that hold its parts.
//
// Owns: deletion with its receipts, details and exports of a user's data, the trace of sign-ins with its counts, the
// check-up of a team's set-up, the watch over what Apple publishes, and the registry as code: a file, its plan, its
// application in one transaction a team.
// Must not know: incoming HTTP, HTML, cookies; how a sign-in is decided.
// Standards: App Store Review Guideline 5.1.1(v) (account deletion).
