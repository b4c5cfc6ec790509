// Audit: what was done, by whom, from where, with before and after.
//
// Owns: events written in the transaction of the change they tell of; reading them back.
// Must not know: what the events mean.
