// Audit: the log of actions, each with its actor, its origin and the values before and after.
//
// Owns: writing events in the transaction of the change they describe; reading, searching, exporting, sealing them.
// Must not know: what the events mean.
