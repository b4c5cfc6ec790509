// Domain: the words every capability speaks.
//
// Owns: team ids, identifiers of clients, keys and people, roles and their rights, who acts and from where, ids
// that cannot be guessed, and the two ways to the database: as a team, or as the system before a team is known, which
// also removes what has ended.
// Must not know: rules of any one capability, SQL of any table, HTTP.
