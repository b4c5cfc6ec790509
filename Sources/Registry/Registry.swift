// Registry: the teams, their members, and what a team registers.
//
// Owns: teams with their settings, memberships, roles and invitations, the links of the first set-up; App IDs, Service IDs
// with domains and return URLs, keys that sign client secrets, Apple's keys and connections, email sources, transfers;
// their rules as pure values.
// Must not know: users and consents beyond counting them, tokens beyond deleting those of a deleted client,
// incoming HTTP.
// A team's ID is never used again: a deleted team keeps its row.
// Standards: RFC 3986, RFC 1123 section 2.1 (host names), RFC 6761 section 6.3 (localhost), Apple TN3107.
