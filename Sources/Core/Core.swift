// Core: the values that every module speaks in.
//
// Owns: encodings between octets, text and values (RFC 4648, RFC 3986, WHATWG forms), strict JSON (RFC 8259), time
// (RFC 3339), the checks of text and numbers from outside, languages (BCP 47) and messages that are not yet rendered in
// one, the log (one JSON object a line, without secrets).
// Must not know: sockets, HTTP, PostgreSQL, where texts are stored, what a team or a user is.
