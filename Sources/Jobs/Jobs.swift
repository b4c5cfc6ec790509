// Jobs: work that is done once, whatever dies meanwhile, and work that is done now and then.
//
// Owns: the queue in PostgreSQL, who takes what and for how long, attempts and their delays, receipts, schedules.
// Must not know: what any job does.
// Standards: PostgreSQL's FOR UPDATE SKIP LOCKED (documentation, SELECT, "The Locking Clause").
