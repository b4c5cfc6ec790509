// Provisioning: the registry as code.
//
// Owns: the registry file, the plan that leads from what is to what the file says, applying it in one transaction per
// team, and the export of a team as such a file.
// Must not know: rules of its own; whatever the console refuses is refused here by the same parsers and stores.
// Not by it: teams are created and changed here, never removed.
