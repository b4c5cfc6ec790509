import Bytes
import Crypto
import Domain
import EventLoop
import HTTP
import Localization
import OAuth
import Templates
import Web

/// Page of a team's signing keys, with rotation and immediate replacement.
struct SigningKeyPages: Sendable {
    static let keys = Route("/console/:team/signing-keys", TeamID.self)
    static let rotations = Route("/console/:team/signing-keys/rotations", TeamID.self)
    static let replacement = Route("/console/:team/signing-keys/replacement", TeamID.self)

    private let site: Site
    private let teams: TeamCache
    private let server: ServerContext
    private let rotation: SigningKeyRotation
    private let changed: @Sendable (TeamID) -> Void
    private let page: LivePage<SigningKeyPage>

    /// - Throws: `Diagnostics`, when a template does not fit its page.
    init(_ parts: Console.Parts) throws(Diagnostics) {
        site = parts.site
        teams = parts.teams
        server = parts.server
        let pool = parts.pool
        rotation = SigningKeyRotation(parts.database, keyRing: parts.server.keyRing) { team in
            do { return try await pool.run(for: team.rawValue) { try RSASigningKey.generate() } } catch is BlockingPool
                .Full
            { throw UserFacingError.unavailable }
        }
        changed = parts.registryChanged
        page = try parts.site.pages.page(SigningKeyPage.self)
    }

    func mount(on router: inout ConsoleRouter) {
        router.get(Self.keys, needs: .read, at: .signingKeys) { try await show($0) }
        router.post(Self.rotations, needs: .changeKeys, at: .signingKeys) { context, _ in try await rotate(context) }
        router.post(Self.replacement, needs: .changeKeys, at: .signingKeys) { try await replace($0, $1) }
    }

    private func show(_ context: TeamContext, confirmation: (typed: Confirmation, problems: FormProblems)? = nil)
        async throws -> Response
    {
        guard let team = try await teams.snapshot(of: context.teamID, evenClosed: true) else {
            throw UserFacingError.notFound
        }
        let now = server.clock()
        let rows = team.signingKeys.map { SigningKeyRow(key: $0, state: $0.state(at: now, in: team)) }
        let mayChange = context.may(.changeKeys)
        let announcement = SigningKeyRotation.announcement(
            after: team.signingKeys.map(\.activeFrom).max() ?? now, at: now)
        let isWaiting = team.signingKeys.contains { $0.state(at: now, in: team) == .next }
        let view = SigningKeyPage(
            frame: context.frame(Message("console.signing-keys.title")),
            keySetURL: "\(server.base(of: context.teamID))/auth/keys",
            rows: rows.filter { $0.state != .expired }.reversed(),
            rotateURL: mayChange && !isWaiting && !team.isClosed ? Self.rotations.link(context.teamID) : nil,
            next: team.isClosed ? nil : announcement.localizedText,
            danger: mayChange ? danger(context, confirmation) : nil)
        return site.respond(page, view, status: confirmation?.problems.status ?? .ok)
    }

    private func rotate(_ context: TeamContext) async throws -> Response {
        let outcome = try await rotation.rotate(
            in: context.teamID, at: server.clock(), reason: "by hand", by: context.actor, from: context.origin)
        changed(context.teamID)
        return context.redirect(
            to: Self.keys.link(context.teamID),
            saying: outcome == .done
                ? .good(Message("console.signing-keys.flash.rotated"))
                : .warn(Message("console.signing-keys.flash.waiting")))
    }

    private func replace(_ context: TeamContext, _ form: Form) async throws -> Response {
        let confirmation = Confirmation(form, expecting: context.teamID.rawValue)
        let reason: String
        do throws(FormProblems) { reason = try confirmation.reason() } catch {
            return try await show(context, confirmation: (confirmation, error))
        }
        try await rotation.replace(
            in: context.teamID, at: server.clock(), reason: reason, by: context.actor, from: context.origin)
        changed(context.teamID)
        return context.redirect(
            to: Self.keys.link(context.teamID), saying: .good(Message("console.signing-keys.flash.replaced")))
    }

    private func danger(_ context: TeamContext, _ confirmation: (typed: Confirmation, problems: FormProblems)?)
        -> DangerView
    {
        let typed = confirmation?.typed ?? Confirmation(expecting: context.teamID.rawValue)
        return typed.view(
            action: Self.replacement.link(context.teamID), summary: Message("console.signing-keys.replace.summary"),
            consequences: [
                Message("console.signing-keys.replace.tokens"), Message("console.signing-keys.replace.clients"),
                Message("console.signing-keys.replace.sessions"),
            ], button: Message("console.signing-keys.replace.button"), confirmation?.problems ?? .none)
    }

    static var views: [any View.Type] { [SigningKeyPage.self] }
}
