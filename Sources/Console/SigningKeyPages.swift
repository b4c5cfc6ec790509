import Core
import Crypto
import EventLoop
import HTTP
import OAuth
import Platform
import Registry
import SignIn
import Templates

/// Page of a team's signing keys, with rotation and immediate replacement.
struct SigningKeyPages: ConsolePages {
    static let keys = Route("/console/:team/signing-keys", TeamID.self)
    static let rotations = Route("/console/:team/signing-keys/rotations", TeamID.self)
    static let replacement = Route("/console/:team/signing-keys/replacement", TeamID.self)

    let parts: Console.Parts

    private var rotation: SigningKeyRotation {
        SigningKeyRotation(database, keyRing: server.keyRing) { [pool = parts.pool] team in
            do { return try await pool.run(for: team.rawValue) { try RSASigningKey.generate() } } catch is BlockingPool
                .Full
            { throw UserFacingError.unavailable }
        }
    }

    func mount(on router: inout ConsoleRouter) {
        router.get(Self.keys, needs: .read, at: .signingKeys) { try await show($0) }
        router.post(Self.rotations, needs: .changeKeys, at: .signingKeys) { context, _ in try await rotate(context) }
        router.post(Self.replacement, needs: .changeKeys, at: .signingKeys) { try await replace($0, $1) }
    }

    private func show(_ context: TeamContext, _ confirmation: Confirmation? = nil) async throws -> Response {
        let team = try await parts.teams.snapshot(of: context.teamID, evenClosed: true).orNotFound()
        let now = server.clock()
        let keys = team.signingKeys.map { (key: $0, state: $0.state(at: now, in: team)) }
        let mayChange = context.may(.changeKeys)
        let announcement = SigningKeyRotation.announcement(
            after: team.signingKeys.map(\.activeFrom).max() ?? now, at: now)
        let isWaiting = keys.contains { $0.state == .next }
        let confirmation = confirmation ?? Confirmation(expecting: context.teamID.rawValue)
        let view = SigningKeyPage(
            frame: context.frame(Message("console.signing-keys.title")),
            keySetURL: "\(server.base(of: context.teamID))/auth/keys",
            keys: Self.table(keys.filter { $0.state != .expired }.reversed()),
            rotateURL: mayChange && !isWaiting && !team.isClosed ? Self.rotations.link(context.teamID) : nil,
            next: team.isClosed ? nil : announcement.localizedText,
            danger: mayChange ? danger(context, confirmation) : nil)
        return site.respond(view, status: confirmation.status)
    }

    private func rotate(_ context: TeamContext) async throws -> Response {
        let outcome = try await rotation.rotate(
            in: context.teamID, at: server.clock(), reason: "by hand", by: context.actor, from: context.origin)
        parts.registryChanged(context.teamID)
        return context.redirect(
            to: Self.keys.link(context.teamID),
            saying: outcome == .done
                ? .good(Message("console.signing-keys.flash.rotated"))
                : .warn(Message("console.signing-keys.flash.waiting")))
    }

    private func replace(_ context: TeamContext, _ form: Form) async throws -> Response {
        let confirmation = Confirmation(form, expecting: context.teamID.rawValue)
        guard let reason = confirmation.reason else { return try await show(context, confirmation) }
        try await rotation.replace(
            in: context.teamID, at: server.clock(), reason: reason, by: context.actor, from: context.origin)
        parts.registryChanged(context.teamID)
        return context.redirect(
            to: Self.keys.link(context.teamID), saying: .good(Message("console.signing-keys.flash.replaced")))
    }

    private func danger(_ context: TeamContext, _ confirmation: Confirmation) -> DangerView {
        confirmation.view(
            action: Self.replacement.link(context.teamID), summary: Message("console.signing-keys.replace.summary"),
            consequences: [
                Message("console.signing-keys.replace.tokens"), Message("console.signing-keys.replace.clients"),
                Message("console.signing-keys.replace.sessions"),
            ], button: Message("console.signing-keys.replace.button"))
    }

    private static func table(_ keys: [(key: TeamSigningKey, state: TeamSigningKey.State)]) -> ListTable {
        ListTable(
            [
                .init(Message("console.signing-keys.kid")), .init(Message("console.signing-keys.state")),
                .init(Message("console.signing-keys.algorithm"), isWide: true),
                .init(Message("console.signing-keys.signs-from")),
                .init(Message("console.signing-keys.signs-until"), isWide: true),
                .init(Message("console.signing-keys.leaves"), isWide: true),
            ],
            keys.map { key, state in
                let end = { (time: Timestamp?) -> RowPart in
                    .text(time ?? Message("console.signing-keys.no-end") as any LocalizedTextConvertible)
                }
                return [
                    [.code(key.kid)], [.badge(state.badge)],
                    [.text("RS256,"), .text(Message("console.signing-keys.bits", ["size": String(key.size)]))],
                    [.text(key.activeFrom)], [end(key.retiresAt)], [end(key.leavesAt)],
                ]
            })
    }

    static var views: [any View.Type] { [SigningKeyPage.self] }
}

/// Signing keys of a team, newest first.
struct SigningKeyPage: ConsolePage {
    static let template = "console/signing-keys/index"
    static let fields = frameFields.with {
        $0.group("keySet", CopyView.fields) { CopyView("jwks_uri", $0.keySetURL) }
        $0.group("keys", ListTable.fields) { $0.keys }
        $0.optionalText("rotateURL") { $0.rotateURL }
        $0.optionalWords("next") { $0.next }
        $0.optionalGroup("danger", DangerView.fields) { $0.danger }
    }

    let frame: ConsoleFrame
    let keySetURL: String
    let keys: ListTable
    /// Nil while a new key is waiting to sign, if the team is closed, or if the account may not rotate keys.
    let rotateURL: String?
    /// Time of the next automatic rotation; nil if the team is closed.
    let next: LocalizedText?
    let danger: DangerView?
}

extension TeamSigningKey.State {
    fileprivate var badge: BadgeView {
        switch self {
        case .next: BadgeView(.plain, Message("console.signing-keys.state.next"))
        case .signing: BadgeView(.good, Message("console.signing-keys.state.signing"))
        case .published: BadgeView(.plain, Message("console.signing-keys.state.published"))
        case .expired: BadgeView(.plain, Message("console.signing-keys.state.over"))
        }
    }
}

extension SigningKeyRotation {
    /// Message with the times when the next key is published and when it starts to sign.
    ///
    /// - Parameter newest: start of the key created last.
    static func announcement(after newest: Timestamp, at now: Timestamp) -> Message {
        guard newest <= now else { return Message("console.signing-keys.next.waiting", ["start": newest]) }
        let due = newest + period
        return Message("console.signing-keys.next", ["due": due, "start": due + lead])
    }
}

/// Page that revokes all tokens issued before now, for one client or the whole team, by a not-before time.
struct NotBeforePages: ConsolePages {
    static let notBefores = Route("/console/:team/not-before", TeamID.self)

    let parts: Console.Parts

    private var store: NotBeforeStore { NotBeforeStore(database) }

    func mount(on router: inout ConsoleRouter) {
        router.get(Self.notBefores, needs: .read, at: .signingKeys) { try await show($0) }
        router.post(Self.notBefores, needs: .dangerZone, at: .signingKeys) { try await cut($0, $1) }
    }

    private func show(_ context: TeamContext, client: String = "", _ confirmation: Confirmation? = nil) async throws
        -> Response
    {
        let confirmation = confirmation ?? Confirmation(expecting: context.teamID.rawValue)
        let danger = confirmation.view(
            action: Self.notBefores.link(context.teamID), summary: Message("console.not-before.summary"),
            consequences: [
                Message("console.not-before.sessions"), Message("console.not-before.consents"),
                Message("console.not-before.id-tokens"),
            ], button: Message("console.not-before.button"))
        let view = NotBeforePage(
            frame: context.frame(Message("console.not-before.title")),
            keysURL: SigningKeyPages.keys.link(context.teamID), records: try await store.list(in: context.teamID),
            danger: context.may(.dangerZone) ? danger : nil, clients: try await clients(in: context.teamID),
            client: client)
        return site.respond(view, status: confirmation.status)
    }

    private func cut(_ context: TeamContext, _ form: Form) async throws -> Response {
        let confirmation = Confirmation(form, expecting: context.teamID.rawValue)
        let client = form["client"] ?? ""
        guard let reason = confirmation.reason else { return try await show(context, client: client, confirmation) }
        let known = try await clients(in: context.teamID)
        guard client.isEmpty || known.contains(where: { $0.rawValue == client }) else { throw UserFacingError.notFound }
        try await store.set(
            ClientID(rawValue: client).map { .client($0) } ?? .team, to: server.clock(), reason: reason,
            in: context.teamID, by: context.actor, from: context.origin)
        registry.changed(context.teamID)
        return context.redirect(
            to: Self.notBefores.link(context.teamID), saying: .good(Message("console.not-before.flash.done")))
    }

    /// Identifiers of the team's App IDs and Service IDs.
    private func clients(in team: TeamID) async throws -> [ClientID] {
        let apps = try await registry.allAppIDs(in: team).map(\.identifier)
        return apps + (try await registry.serviceIDs.names(in: team))
    }

    static var views: [any View.Type] { [NotBeforePage.self] }
}

/// Not-before times of a team, with the form that sets one.
struct NotBeforePage: ConsolePage {
    static let template = "console/not-before/index"
    static let fields = frameFields.with {
        $0.text("keysURL") { $0.keysURL }
        $0.rows("records") { $0.records.map(\.row) }
        $0.optionalGroup("danger", DangerView.fields) { $0.danger }
        $0.group("client", SelectView.fields) { $0.clientSelect }
    }

    let frame: ConsoleFrame
    let keysURL: String
    let records: [NotBefore]
    /// Nil if the account may not set one.
    let danger: DangerView?
    let clients: [ClientID]
    let client: String

    private var clientSelect: SelectView {
        let everyone = SelectView.Option("", Message("console.not-before.whole-team"), isSelected: client.isEmpty)
        return SelectView(
            "client", label: Message("console.not-before.whose"),
            options: [everyone]
                + clients.map { SelectView.Option($0.rawValue, $0.rawValue, isSelected: $0.rawValue == client) })
    }
}

extension NotBefore {
    fileprivate var row: ListRow {
        let whose: any LocalizedTextConvertible =
            if case .client(let id) = scope { id.rawValue } else { Message("console.not-before.whole-team") }
        return ListRow(whose, end: [.text(Message("console.not-before.issued-before"), moment)])
    }
}
