import Core
import Crypto
public import Directory
public import HTTP
public import OAuth
public import Platform
public import Registry

/// Second factors of users, as the hosted pages use them.
public struct SecondFactors: Sendable {
    public let gate: FactorGate
    let users: UserStore
    let enrolled: FactorStore
    let totp: TOTPStore
    let offers: TOTPOffer.Maker
    let recoveryCodes: RecoveryCodeStore
    let codes: FactorSignIn
    /// Nil if the public URL has no host name that passkeys can be bound to.
    let passkeys: PasskeySignIn?

    /// - Parameter sparesRoles: see `FactorGate`.
    public init(_ database: TeamDatabase, rights: AccountRightsStore, server: ServerContext, sparesRoles: Bool) {
        let (ring, random) = (server.keyRing, server.random)
        gate = FactorGate(database, rights: rights, sparesRoles: sparesRoles)
        users = UserStore(database)
        enrolled = FactorStore(database)
        totp = TOTPStore(database, keyRing: ring, random: random)
        offers = TOTPOffer.Maker(keyRing: ring, random: random)
        recoveryCodes = RecoveryCodeStore(database, keyRing: ring, random: random)
        codes = FactorSignIn(database, keyRing: ring)
        passkeys = RelyingParty(publicURL: server.publicURL).map {
            PasskeySignIn(database, party: $0, keyRing: ring, random: random)
        }
    }

    /// Kinds that the user can be asked for, the most secure first.
    func kinds(of subject: Subject, in team: TeamID) async throws -> [FactorKind] {
        try await enrolled.enrolled(of: subject, in: team).kinds.filter { $0 != .passkey || passkeys != nil }
    }
}

// Addresses of second factors.
extension TeamRoutes {
    /// Steps of a sign-in: the second factor, adding a factor, a passkey as the only proof.
    public static let interactionFactor = Route(
        "/t/:team/auth/interactions/:interaction/factor", TeamID.self, InteractionID.self)
    public static let interactionEnrolment = Route(
        "/t/:team/auth/interactions/:interaction/enrolment", TeamID.self, InteractionID.self)
    public static let interactionPasskey = Route(
        "/t/:team/auth/interactions/:interaction/passkey", TeamID.self, InteractionID.self)

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

// Fields that Public/factors.js writes into a form.
extension Form {
    /// Response of a passkey that signed in; nil if the form contains none.
    var assertion: AssertionResponse? {
        guard let credential = octets("credential_id"), !credential.isEmpty, let client = octets("client_data"),
            let data = octets("authenticator_data"), let signature = octets("signature"),
            let handle = octets("user_handle")
        else { return nil }
        return AssertionResponse(
            credentialID: credential, clientDataJSON: client, authenticatorData: data, signature: signature,
            userHandle: handle.isEmpty ? nil : handle)
    }

    /// Response of a new passkey; nil if the form contains none.
    var registration: RegistrationResponse? {
        guard let client = octets("client_data"), !client.isEmpty, let data = octets("authenticator_data") else {
            return nil
        }
        return RegistrationResponse(clientDataJSON: client, authenticatorData: data)
    }

    /// Transports that the new passkey reports.
    var transports: [String] { (self["transports"] ?? "").split(separator: " ").map(String.init) }

    /// Decodes a base64url field; nil if it is longer than any authenticator's response.
    private func octets(_ name: String) -> [UInt8]? {
        guard let text = self[name], text.utf8.count <= 8192 else { return nil }
        return Base64URL.decode(text)
    }
}
