import Core
import Crypto
import EventLoop
import HTTP
import OAuth
import Platform
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
struct SigningKeyPage: FramedPage {
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
    fileprivate var badge: BadgeView { BadgeView(self, in: "console.signing-keys.state", good: [.signing]) }
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
