import AuthEngine
import Bytes
import Crypto
import Domain
import EventLoop
import HTTP
import Templates
import Web

/// The keys a team signs its tokens with: seen, rotated, replaced.
struct SigningKeyPages: Sendable {
    static let keys = Route("/console/:team/signing-keys", TeamID.self)
    static let rotations = Route("/console/:team/signing-keys/rotations", TeamID.self)
    static let replacement = Route("/console/:team/signing-keys/replacement", TeamID.self)

    private let site: Site
    private let teams: TeamCache
    private let context: EngineContext
    private let rotation: SigningKeyRotation
    private let changed: @Sendable (TeamID) -> Void
    private let page: LivePage<SigningKeyPage>

    /// - Throws: `Diagnostics`, when a template does not fit its page.
    init(_ parts: Console.Parts) throws(Diagnostics) {
        site = parts.site
        teams = parts.teams
        context = parts.context
        let pool = parts.pool
        rotation = SigningKeyRotation(parts.database, keyRing: parts.context.keyRing) { team in
            do {
                return try await pool.run(for: team.rawValue) { try RSASigningKey.generate() }
            } catch is BlockingPool.Full {
                throw Problem.unavailable
            }
        }
        changed = parts.registryChanged
        page = try parts.site.pages.page(SigningKeyPage.self)
    }

    func mount(on router: inout ConsoleRouter) {
        router.get(Self.keys, needs: .read, at: .signingKeys) { try await show($0) }
        router.post(Self.rotations, needs: .changeKeys, at: .signingKeys) { scope, _ in
            try await rotate(scope)
        }
        router.post(Self.replacement, needs: .changeKeys, at: .signingKeys) { try await replace($0, $1) }
    }

    private func show(
        _ scope: Scope,
        confirmation: (typed: Confirmation, problems: FormProblems)? = nil,
        wait: Duration? = nil
    ) async throws -> Response {
        guard let team = try await teams.snapshot(of: scope.teamID, evenClosed: true) else {
            throw Problem.notFound
        }
        let now = context.clock()
        let rows = team.signingKeys.map { SigningKeyRow(key: $0, state: $0.state(at: now, in: team)) }
        let mayChange = scope.may(.changeKeys)
        let announcement = SigningKeyRotation.announcement(
            after: team.signingKeys.map(\.activeFrom).max() ?? now,
            at: now
        )
        let isWaiting = team.signingKeys.contains { $0.state(at: now, in: team) == .next }
        let view = SigningKeyPage(
            frame: scope.frame(Phrase("console.signing-keys.title")),
            keySetURL: "\(context.base(of: scope.teamID))/auth/keys",
            rows: rows.filter { $0.state != .over }.reversed(),
            rotateURL: mayChange && !isWaiting && !team.isClosed ? Self.rotations.link(scope.teamID) : nil,
            next: team.isClosed ? nil : announcement.asWords,
            error: wait.map { SigningKeyRotation.limitation(until: now + $0) },
            danger: mayChange ? danger(scope, confirmation) : nil
        )
        if let wait { return site.respond(page, view, after: wait) }
        return site.respond(page, view, status: confirmation?.problems.status ?? .ok)
    }

    private func rotate(_ scope: Scope) async throws -> Response {
        let outcome = try await rotation.rotate(
            in: scope.teamID,
            at: context.clock(),
            reason: "by hand",
            by: scope.actor,
            from: scope.origin
        )
        if case .limited(let wait) = outcome { return try await show(scope, wait: wait) }
        changed(scope.teamID)
        return scope.redirect(
            to: Self.keys.link(scope.teamID),
            saying: outcome == .done
                ? .good(Phrase("console.signing-keys.flash.rotated"))
                : .warn(Phrase("console.signing-keys.flash.waiting"))
        )
    }

    private func replace(_ scope: Scope, _ form: Form) async throws -> Response {
        let confirmation = Confirmation(form, expecting: scope.teamID.rawValue)
        let reason: String
        do throws(FormProblems) {
            reason = try confirmation.reason()
        } catch {
            return try await show(scope, confirmation: (confirmation, error))
        }
        let outcome = try await rotation.replace(
            in: scope.teamID,
            at: context.clock(),
            reason: reason,
            by: scope.actor,
            from: scope.origin
        )
        if case .limited(let wait) = outcome {
            return try await show(scope, confirmation: (confirmation, .none), wait: wait)
        }
        changed(scope.teamID)
        return scope.redirect(
            to: Self.keys.link(scope.teamID),
            saying: .good(Phrase("console.signing-keys.flash.replaced"))
        )
    }

    private func danger(
        _ scope: Scope,
        _ confirmation: (typed: Confirmation, problems: FormProblems)?
    ) -> DangerView {
        let typed = confirmation?.typed ?? Confirmation(expecting: scope.teamID.rawValue)
        return typed.view(
            action: Self.replacement.link(scope.teamID),
            summary: Phrase("console.signing-keys.replace.summary"),
            consequences: [
                Phrase("console.signing-keys.replace.tokens"), Phrase("console.signing-keys.replace.clients"),
                Phrase("console.signing-keys.replace.sessions"),
            ],
            button: Phrase("console.signing-keys.replace.button"),
            confirmation?.problems ?? .none
        )
    }

    static var views: [any View.Type] { [SigningKeyPage.self] }
}
