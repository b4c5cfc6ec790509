// Registry: what a team registers, and the rules for it.
//
// Owns: App IDs, Service IDs with their domains and return URLs, keys that sign client secrets, e-mail sources;
// their rules as pure values, the messages of validation errors, and the stores.
// Must not know: users and their consents beyond counting them, tokens beyond deleting those of a deleted client,
// HTTP.
// Standards: RFC 3986 (URLs), RFC 1123 section 2.1 (host names), RFC 5322 section 3.4.1 (addresses),
// RFC 6761 section 6.3 (localhost), Apple TN3107 (identifiers are compared exactly).
