// DNS: queries to the domain name system.
//
// Owns: lookups of TXT records with c-ares, on the loop's own epoll and timers, each with a deadline.
// Must not know: the callers, and the meaning of the texts.
// Standards: RFC 1035 (messages, truncation), RFC 6891 (larger responses). c-ares implements the wire format.
