// Web: the parts that all of Pippin's pages share.
//
// Owns: the views of form fields, users and errors that templates use, security header fields, cookies, form
// tokens, user-facing errors, path values of the domain's ids.
// Must not know: any particular page.
// Standards: Content Security Policy Level 3, RFC 6265 (cookies), OWASP's advice on cross-site request forgery.

import Directory
public import Domain
public import Federation
public import HTTP
public import OAuth

extension PathValue where Self: RawRepresentable<String> {
    public static func parse(pathSegment: Span<UInt8>) -> Self? {
        String.parse(pathSegment: pathSegment).flatMap(Self.init(rawValue:))
    }

    public var pathSegment: String { rawValue }
}

extension TeamID: PathValue {}
extension ClientID: PathValue {}
extension KeyID: PathValue {}
extension InvitationID: PathValue {}
extension Subject: PathValue {}
extension RefreshTokenID: PathValue {}
extension UpstreamTokenID: PathValue {}
extension InteractionID: PathValue {}
extension TraceID: PathValue {}
extension TestSignInID: PathValue {}
extension RandomID: PathValue {}
