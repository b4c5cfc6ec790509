// Mail: messages to people, written from the catalogue in their language and sent by a job.
//
// Owns: what each letter says, its two forms, its delivery over SMTP, the mailbox that takes it without a server.
// Must not know: why a letter is written, nor what its link leads to.
// Standards: RFC 5322 (messages), RFC 3834 (mail that nobody wrote by hand), RFC 5321 section 4.2.1 (reply codes).
