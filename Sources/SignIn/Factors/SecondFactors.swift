import Core
import Crypto
import Directory
import HTTP
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
