import Core
import Directory
import Federation
import HTTP
import Platform
import SignIn
import Templates

/// Apple identity of a user, with the tokens that Apple issued for it.
struct UserAppleView: Sendable {
    let identity: LinkedIdentity
    let user: User
    let tokens: [UpstreamTokenSummary]

    static let fields = Fields<UserAppleView> {
        $0.group("sub", CopyView.fields) {
            CopyView(Message("console.users.apple.copy-sub"), $0.identity.identifier.rawValue)
        }
        $0.optionalGroup("transfer", CopyView.fields) { view in
            view.identity.transferSubject.map { CopyView(Message("console.users.apple.copy-transfer"), $0) }
        }
        $0.group("state", BadgeView.fields) { $0.identity.state.badge }
        $0.group("stateTime", TimeView.fields) { TimeView($0.identity.stateAt) }
        $0.words("address") { $0.address }
        $0.words("reality") { $0.reality }
        $0.group("first", TimeView.fields) { TimeView($0.identity.createdAt) }
        $0.optionalGroup("linked", TimeView.fields) { $0.identity.linkedAt.map { TimeView($0) } }
        $0.optionalText("linkedEmail") { $0.identity.linkedAt == nil ? nil : $0.identity.email?.shown }
        $0.group("last", TimeView.fields) { TimeView($0.identity.lastSeenAt) }
        $0.optionalGroup("vault", Vault.fields) { $0.identity.vault.map(Vault.init) }
        $0.rows("tokens") { $0.tokens.map(\.row) }
    }

    /// Name and email received once in an unsigned form field.
    struct Vault: Sendable {
        let vault: LinkedIdentity.Vault

        static let fields = Fields<Vault> {
            $0.text("name") { PersonName(stored: $0.vault.givenName, $0.vault.familyName).full }
            $0.optionalText("email") { $0.vault.email }
            $0.group("received", TimeView.fields) { TimeView($0.vault.receivedAt) }
        }
    }

    private var address: Message {
        if identity.linkedAt != nil { return linkedAddress }
        guard let email = user.email else { return Message("console.users.apple.address.none") }
        guard email.isMailable else { return Message("console.users.apple.address.unmailable") }
        if user.isEmailPrivate { return Message("console.users.apple.address.relay") }
        return user.isEmailVerified
            ? Message("console.users.apple.address.own") : Message("console.users.apple.address.unverified")
    }

    /// Kind of Apple's email address, for a user who linked Apple later and keeps another address.
    private var linkedAddress: Message {
        guard let email = identity.email else { return Message("console.users.apple.address.none") }
        guard email.isMailable else { return Message("console.users.apple.address.unmailable") }
        return identity.isEmailPrivate
            ? Message("console.users.apple.address.relay") : Message("console.users.apple.address.beside")
    }

    private var reality: Message {
        switch identity.realUserStatus {
        case 0?: Message("console.users.apple.reality.unsupported")
        case 1?: Message("console.users.apple.reality.unknown")
        case 2?: Message("console.users.apple.reality.likely")
        default: Message("console.users.apple.reality.silent")
        }
    }
}

extension LinkedIdentity.State {
    fileprivate var badge: BadgeView {
        switch self {
        case .authorized: BadgeView(.good, Message("console.users.apple.state.authorized"))
        case .revoked: BadgeView(.bad, Message("console.users.apple.state.revoked"))
        case .transferred: BadgeView(.warn, Message("console.users.apple.state.transferred"))
        }
    }
}

extension UpstreamTokenSummary {
    /// The token on the page of its user.
    fileprivate var row: ListRow {
        ListRow(
            clientID.rawValue,
            notes: [.text(Message("console.users.apple.tokens.issued"), createdAt), problem.map { .text($0.words) }],
            end: [
                .badge(badge),
                settledAt.map { .text(Message("console.users.apple.tokens.settled"), $0) }
                    ?? .last(
                        Message("console.users.apple.tokens.validated"), validatedAt,
                        never: Message("console.users.apple.tokens.unchecked")),
            ])
    }
}
