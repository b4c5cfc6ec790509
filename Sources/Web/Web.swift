// Web: what every page of Pippin shares.
//
// Owns: the views of fields, people and errors that templates use, the fields every page carries, cookies, form
// tokens, the refusal of requests in words, path values of the domain's ids.
// Must not know: any one page.
// Standards: Content Security Policy Level 3, RFC 6265 (cookies), OWASP's advice on cross-site request forgery.

public import AuthEngine
public import Directory
public import Domain
public import HTTP

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
extension ProviderTokenID: PathValue {}
extension AttemptID: PathValue {}
extension FlowID: PathValue {}
extension TrialID: PathValue {}
extension RandomID: PathValue {}
