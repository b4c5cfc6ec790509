public import Federation
public import HTTP
public import OAuth
public import Platform

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
