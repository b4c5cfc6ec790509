// Tenancy: the teams, who belongs to them, and the very first of both.
//
// Owns: teams and their settings, memberships and roles, the one-time links of the first set-up.
// Must not know: how a console account signs in or what it looks like (it is a user of the system team, which
// Directory keeps), the registry, HTTP.
// A team's id is never used twice: a deleted team keeps its row.
