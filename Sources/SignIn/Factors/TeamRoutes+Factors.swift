public import Directory
public import HTTP
public import OAuth
public import Platform

// Addresses of second factors.
extension TeamRoutes {
    /// Steps of a sign-in: the second factor, adding a factor, a passkey as the only proof.
    public static let interactionFactor = Route(
        "/t/:team/auth/attempts/:attempt/factor", TeamID.self, InteractionID.self)
    public static let interactionEnrolment = Route(
        "/t/:team/auth/attempts/:attempt/enrolment", TeamID.self, InteractionID.self)
    public static let interactionPasskey = Route(
        "/t/:team/auth/attempts/:attempt/passkey", TeamID.self, InteractionID.self)

    /// Account pages: authenticator app, its removal, passkeys, recovery codes, and the file of codes just shown.
    public static let totp = Route("/t/:team/account/factors/totp", TeamID.self)
    public static let newTOTP = Route("/t/:team/account/factors/totp/new", TeamID.self)
    public static let totpRemoval = Route("/t/:team/account/factors/totp/removal", TeamID.self)
    public static let newPasskey = Route("/t/:team/account/factors/passkeys", TeamID.self)
    public static let passkey = Route("/t/:team/account/factors/passkeys/:passkey", TeamID.self, PasskeyID.self)
    public static let passkeyRemoval = Route(
        "/t/:team/account/factors/passkeys/:passkey/removal", TeamID.self, PasskeyID.self)
    public static let recoveryCodes = Route("/t/:team/account/factors/recovery-codes", TeamID.self)
    public static let recoveryCodeFile = Route("/t/:team/account/factors/recovery-codes/file", TeamID.self)
    /// Reauthentication; the query parameter `next` is the page that requires it.
    public static let proof = Route("/t/:team/account/proof", TeamID.self)
}

extension PasskeyID: PathValue {
    public static func parse(pathSegment: Span<UInt8>) -> PasskeyID? {
        String.parse(pathSegment: pathSegment).flatMap(PasskeyID.init(text:))
    }

    public var pathSegment: String { text }
}
