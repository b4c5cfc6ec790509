// Domain: types shared by all capabilities.
//
// Owns: identifiers of teams, clients, keys and users, unguessable ids, roles and their rights, actors and origins of
// actions, rate limits and their table, and the two kinds of database access: as a team, or as the system before a team
// is known, which also deletes expired rows.
// Must not know: rules of any one capability, SQL of any other table, HTTP.
