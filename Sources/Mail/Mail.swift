// Mail: emails to users and members, rendered in the recipient's language and sent by a job.
//
// Owns: the content of each email, its text and HTML parts, delivery over SMTP, the mailbox used without a server.
// Must not know: why an email is sent, what its link does.
// Standards: RFC 5322 (messages), RFC 3834 (`Auto-Submitted`), RFC 5321 section 4.2.1 (reply codes).
