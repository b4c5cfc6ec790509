// DNS: questions to the domain name system.
//
// Owns: look-ups of TXT records over c-ares, on the loop's own epoll and timers, each with its deadline.
// Must not know: who asks, and what the texts mean.
// Standards: RFC 1035 (messages, truncation), RFC 6891 (larger answers). The wire is c-ares'.
