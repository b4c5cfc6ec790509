// Registry: what a team registers, and the rules it must keep.
//
// Owns: App IDs, Service IDs with their domains and return URLs, keys that sign client secrets, e-mail sources;
// the rules of each as pure values, the words in which a refusal is told, and the stores.
// Must not know: people and their consents beyond counting them, tokens beyond ending those of a deleted client,
// HTTP.
// Standards: RFC 3986 (URLs), RFC 1123 section 2.1 (host names), RFC 5322 section 3.4.1 (addresses),
// RFC 6761 section 6.3 (localhost), Apple TN3107 (identifiers are compared exactly).
