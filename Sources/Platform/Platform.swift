// Platform: what all capabilities of Pippin share.
//
// Owns: identifiers, actors and origins, the two kinds of database access (as a team, or as the system before a team is
// known), limits and quotas, retention, the audit log with its seals, jobs that outlive a process, mail and its texts, the status of
// processes.
// Must not know: the rules of any one capability, what a job does or why a mail is sent, incoming HTTP.
// Standards: RFC 3834 (`Auto-Submitted`), RFC 5322 (messages), PostgreSQL's FOR UPDATE SKIP LOCKED.
