// HTTP: requests and responses, on both sides, and what else a server needs of the network.
//
// Owns: the server with its routes, limits and timeouts (libmicrohttpd); calls to other servers and mail over SMTP with
// the policy on addresses (libcurl); look-ups in the domain name system (c-ares).
// Must not know: who sends a request (sessions, teams), what a page looks like, what a response of another server means.
// Standards: RFC 9110, RFC 9112, RFC 6265 (cookies), RFC 3986 (targets), RFC 6890 and RFC 4291 (addresses), RFC 5321 and
// RFC 5322 (mail), RFC 1035 and RFC 6891 (DNS).
