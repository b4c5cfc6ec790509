// Accounts: what concerns a user's account as a whole, across the modules that hold its parts.
//
// Owns: deletion with its receipts, suspension, exports of a user's data, the transfer of apps between teams.
// Must not know: incoming HTTP, HTML, cookies.
// Standards: App Store Review Guideline 5.1.1(v) (account deletion), TN3159 (transfer of apps and users).
