// HTTP: requests, responses and routes, and the server that carries them.
//
// Owns: methods, status codes, header fields, targets, cookies, forms, routes, static assets, the server's
// limits and timeouts, the error responses it sends before a handler runs.
// Must not know: who sends a request (sessions, teams), what a page looks like, how log lines are written.
// Standards: RFC 9110 (semantics), RFC 9112 (HTTP/1.1), RFC 6265 (cookies), RFC 3986 (targets), WHATWG URL
// (forms). libmicrohttpd implements the wire protocol.
