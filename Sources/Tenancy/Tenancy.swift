// Tenancy: the teams and their members, and the setup of the first of each.
//
// Owns: teams and their settings, memberships and roles, invitations, the one-time links of the first setup.
// Must not know: how a console account signs in or what data it has (it is a user of the system team, which
// Directory stores), the registry, HTTP.
// A team's id is never reused: a deleted team keeps its row.
