import AuthEngine
import Bytes
import Domain
import HTTP
import Registry
import Templates
import Web

/// Cut-offs: everything that was issued before a moment ends, for one client or for the whole team.
struct CutoffPages: Sendable {
    static let cutoffs = Route("/console/:team/cutoffs", TeamID.self)

    private let site: Site
    private let context: EngineContext
    private let store: TokenCutoffStore
    private let registry: RegistryStores
    private let page: LivePage<CutoffPage>

    /// - Throws: `Diagnostics`, when a template does not fit its page.
    init(_ parts: Console.Parts) throws(Diagnostics) {
        site = parts.site
        context = parts.context
        store = TokenCutoffStore(parts.database)
        registry = RegistryStores(
            parts.database,
            keyRing: parts.context.keyRing,
            random: parts.context.random,
            changed: parts.registryChanged
        )
        page = try parts.site.pages.page(CutoffPage.self)
    }

    func mount(on router: inout ConsoleRouter) {
        router.get(Self.cutoffs, needs: .read, at: .signingKeys) { try await show($0) }
        router.post(Self.cutoffs, needs: .dangerZone, at: .signingKeys) { try await cut($0, $1) }
    }

    private func show(
        _ scope: Scope,
        client: String = "",
        confirmation: (typed: Confirmation, problems: FormProblems)? = nil
    ) async throws -> Response {
        let typed = confirmation?.typed ?? Confirmation(expecting: scope.teamID.rawValue)
        let danger = typed.view(
            action: Self.cutoffs.link(scope.teamID),
            summary: Phrase("console.cutoffs.summary"),
            consequences: [
                Phrase("console.cutoffs.sessions"), Phrase("console.cutoffs.consents"),
                Phrase("console.cutoffs.id-tokens"),
            ],
            button: Phrase("console.cutoffs.button"),
            confirmation?.problems ?? .none
        )
        let view = CutoffPage(
            frame: scope.frame(Phrase("console.cutoffs.title")),
            keysURL: SigningKeyPages.keys.link(scope.teamID),
            records: try await store.list(in: scope.teamID),
            danger: scope.may(.dangerZone) ? danger : nil,
            clients: try await clients(in: scope.teamID),
            client: client
        )
        return site.respond(page, view, status: confirmation?.problems.status ?? .ok)
    }

    private func cut(_ scope: Scope, _ form: Form) async throws -> Response {
        let confirmation = Confirmation(form, expecting: scope.teamID.rawValue)
        let client = form["client"] ?? ""
        let reason: String
        do throws(FormProblems) {
            reason = try confirmation.reason()
        } catch {
            return try await show(scope, client: client, confirmation: (confirmation, error))
        }
        let known = try await clients(in: scope.teamID)
        guard client.isEmpty || known.contains(where: { $0.rawValue == client }) else {
            throw Web.Problem.notFound
        }
        try await store.set(
            ClientID(rawValue: client).map { .client($0) } ?? .team,
            to: context.clock(),
            reason: reason,
            in: scope.teamID,
            by: scope.actor,
            from: scope.origin
        )
        registry.changed(scope.teamID)
        return scope.redirect(
            to: Self.cutoffs.link(scope.teamID),
            saying: .good(Phrase("console.cutoffs.flash.done"))
        )
    }

    /// The App IDs and Service IDs of the team.
    private func clients(in team: TeamID) async throws -> [ClientID] {
        let apps = try await registry.allAppIDs(in: team).map(\.identifier)
        return apps + (try await registry.serviceIDs.names(in: team))
    }

    static var views: [any View.Type] { [CutoffPage.self] }
}
