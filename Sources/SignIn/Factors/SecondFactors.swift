public import AuthEngine
import Bytes
import Crypto
import Directory
public import Domain
import HTTP
public import Tenancy
import WebAuthn

/// The second factors of people, as the hosted pages use them.
public struct SecondFactors: Sendable {
    public let gate: FactorGate
    let users: UserStore
    let enrolled: FactorStore
    let totp: TOTPStore
    let offers: TOTPOffer.Maker
    let recoveryCodes: RecoveryCodeStore
    let codes: FactorSignIn
    /// Nil where the public address has no name for passkeys to be bound to.
    let passkeys: PasskeySignIn?

    /// - Parameter sparesRoles: see `FactorGate`.
    public init(
        _ database: TeamDatabase,
        rights: AccountRightsStore,
        context: EngineContext,
        sparesRoles: Bool
    ) {
        let (ring, random) = (context.keyRing, context.random)
        gate = FactorGate(database, rights: rights, sparesRoles: sparesRoles)
        users = UserStore(database)
        enrolled = FactorStore(database)
        totp = TOTPStore(database, keyRing: ring, random: random)
        offers = TOTPOffer.Maker(keyRing: ring, random: random)
        recoveryCodes = RecoveryCodeStore(database, keyRing: ring, random: random)
        codes = FactorSignIn(database, keyRing: ring)
        passkeys = RelyingParty(publicURL: context.publicURL).map {
            PasskeySignIn(database, party: $0, keyRing: ring, random: random)
        }
    }

    /// The kinds somebody can be asked for here, the safest first.
    func kinds(of subject: Subject, in team: TeamID) async throws -> [FactorKind] {
        try await enrolled.enrolled(of: subject, in: team).kinds.filter { $0 != .passkey || passkeys != nil }
    }
}
