import AuthEngine
import Bytes
import Directory
import Domain
import HTTP
import Templates
import Web

/// How somebody came by way of Apple, and what Apple gave for them.
struct UserAppleView: Sendable {
    let identity: KnownProviderIdentity
    let user: User
    let tokens: [ProviderTokenSummary]

    static let fields = Fields<UserAppleView>()
        .group("sub", CopyView.fields) {
            CopyView(Phrase("console.users.apple.copy-sub"), $0.identity.identifier.rawValue)
        }
        .optionalGroup("transfer", CopyView.fields) { view in
            view.identity.transferSubject.map { CopyView(Phrase("console.users.apple.copy-transfer"), $0) }
        }
        .group("state", BadgeView.fields) { $0.identity.state.badge }
        .group("stateTime", TimeView.fields) { TimeView($0.identity.stateAt) }
        .words("address") { $0.address }
        .words("reality") { $0.reality }
        .group("first", TimeView.fields) { TimeView($0.identity.createdAt) }
        .optionalGroup("linked", TimeView.fields) { $0.identity.linkedAt.map { TimeView($0) } }
        .optionalText("linkedEmail") { $0.identity.linkedAt == nil ? nil : $0.identity.email?.rawValue }
        .group("last", TimeView.fields) { TimeView($0.identity.lastSeenAt) }
        .optionalGroup("vault", Vault.fields) { $0.identity.vault.map(Vault.init) }
        .list("tokens", UserAppleTokenRow.fields) { $0.tokens.map { UserAppleTokenRow(token: $0) } }

    /// The name as the form said it.
    struct Vault: Sendable {
        let vault: KnownProviderIdentity.Vault

        static let fields = Fields<Vault>()
            .text("given") { $0.vault.givenName }
            .text("family") { $0.vault.familyName }
            .optionalText("email") { $0.vault.email }
            .group("received", TimeView.fields) { TimeView($0.vault.receivedAt) }
    }

    private var address: Phrase {
        if identity.linkedAt != nil { return linkedAddress }
        guard user.email != nil else { return Phrase("console.users.apple.address.none") }
        if user.isEmailPrivate { return Phrase("console.users.apple.address.relay") }
        return user.isEmailVerified
            ? Phrase("console.users.apple.address.own") : Phrase("console.users.apple.address.unverified")
    }

    /// Of somebody who keeps an address of their own beside Apple's.
    private var linkedAddress: Phrase {
        guard identity.email != nil else { return Phrase("console.users.apple.address.none") }
        return identity.isEmailPrivate
            ? Phrase("console.users.apple.address.relay") : Phrase("console.users.apple.address.beside")
    }

    private var reality: Phrase {
        switch identity.realUserStatus {
        case 0?: Phrase("console.users.apple.reality.unsupported")
        case 1?: Phrase("console.users.apple.reality.unknown")
        case 2?: Phrase("console.users.apple.reality.likely")
        default: Phrase("console.users.apple.reality.silent")
        }
    }
}

extension KnownProviderIdentity.State {
    fileprivate var badge: BadgeView {
        switch self {
        case .authorized: BadgeView(.good, Phrase("console.users.apple.state.authorized"))
        case .revoked: BadgeView(.bad, Phrase("console.users.apple.state.revoked"))
        case .transferred: BadgeView(.warn, Phrase("console.users.apple.state.transferred"))
        }
    }
}
