// Jobs: a queue of work that is not lost when a process dies, and work that recurs.
//
// Owns: the queue in PostgreSQL, claims and their leases, attempts and their delays, receipts, recurring jobs.
// Must not know: what any job does.
// Standards: PostgreSQL's FOR UPDATE SKIP LOCKED (documentation, SELECT, "The Locking Clause").
