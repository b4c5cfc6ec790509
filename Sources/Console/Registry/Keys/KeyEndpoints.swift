import AuthEngine
import Bytes
import Domain
import HTTP
import Registry
import Templates
import Web

/// Keys: list, issue, download once, revoke.
struct KeyEndpoints: Sendable {
    private let registry: RegistryStores
    private let context: EngineContext
    private let list: LivePage<KeyListPage>
    private let new: LivePage<NewKeyPage>
    private let show: LivePage<KeyPage>

    /// - Throws: `Diagnostics`, when a template does not fit its page.
    init(_ registry: RegistryStores, _ context: EngineContext, _ pages: Pages) throws(Diagnostics) {
        self.registry = registry
        self.context = context
        list = try pages.page(KeyListPage.self)
        new = try pages.page(NewKeyPage.self)
        show = try pages.page(KeyPage.self)
    }

    func mount(on router: inout ConsoleRouter) {
        router.get(ConsoleRoutes.keys, needs: .read, at: .keys) { try await index($0) }
        router.get(ConsoleRoutes.newKey, needs: .changeKeys, at: .keys) { scope in
            let chosen = (try? scope.request.query())?["app"] ?? ""
            return try await ask(scope, NewKeyPage.Form(name: "", appID: chosen), .none)
        }
        router.post(ConsoleRoutes.keys, needs: .changeKeys, at: .keys) { scope, form in
            try await issue(scope, NewKeyPage.Form(name: form["name"] ?? "", appID: form["appID"] ?? ""))
        }
        router.get(ConsoleRoutes.key, needs: .read, at: .keys) { scope, id in
            try await respond(scope, try await find(id, scope))
        }
        router.post(RegistryRoutes.keyDownload, needs: .changeKeys, at: .keys) { scope, _, id in
            try await download(scope, id)
        }
        router.post(RegistryRoutes.keyRevocation, needs: .changeKeys, at: .keys, countsForTeam: false) {
            scope,
            form,
            id in
            try await revoke(scope, form, try await find(id, scope))
        }
    }

    private func index(_ scope: Scope) async throws -> Response {
        let team = scope.teamID
        let address = try ListAddress(scope.request, path: ConsoleRoutes.keys.link(team))
        let page = try await registry.keys.list(address.ofKeys, in: team)
        let view = KeyListPage(
            frame: scope.frame(Phrase("console.keys.title")),
            query: address.searched,
            rows: page.items.map { KeyListPage.Row(team: team, key: $0) },
            hasAppIDs: try await registry.hasAppIDs(in: team),
            paging: address.paging(Phrase("console.keys.found", count: page.total), next: page.next),
            newURL: scope.may(.changeKeys) ? ConsoleRoutes.newKey.link(team) : nil,
            newAppIDURL: scope.may(.changeRegistry) ? ConsoleRoutes.newAppID.link(team) : nil,
            appleKeys: try await registry.appleKeys.list(in: team).map {
                KeyListPage.AppleRow(team: team, key: $0)
            },
            importURL: scope.may(.changeKeys) ? RegistryRoutes.appleKeys.new.link(team) : nil
        )
        return scope.site.respond(list, view)
    }

    private func ask(_ scope: Scope, _ form: NewKeyPage.Form, _ problems: FormProblems) async throws
        -> Response
    {
        let view = NewKeyPage(
            frame: scope.frame(Phrase("console.registry.new-key")),
            action: ConsoleRoutes.keys.link(scope.teamID),
            form: form,
            problems: problems,
            primaries: try await registry.primaries(in: scope.teamID)
        )
        return scope.site.respond(new, view, status: problems.status)
    }

    private func issue(_ scope: Scope, _ form: NewKeyPage.Form) async throws -> Response {
        let outcome = try await FormProblems.collect {
            let issue = try Key.Issue(name: form.name, appID: form.appID)
            return try await registry.keys.issue(issue, in: scope.teamID, by: scope.actor, from: scope.origin)
        }
        switch outcome {
        case .failure(let problems):
            return try await ask(scope, form, problems)
        case .success(let key):
            registry.changed(scope.teamID)
            return scope.redirect(to: ConsoleRoutes.key.link(scope.teamID, key.id))
        }
    }

    private func download(_ scope: Scope, _ id: KeyID) async throws -> Response {
        switch try await registry.keys.download(id, in: scope.teamID, by: scope.actor, from: scope.origin) {
        case .file(let name, let pem): Self.file(name, pem)
        case .gone: throw Web.Problem.keyIsGone
        case .unreadable: throw Web.Problem.keyIsSealed
        case .notFound: throw Web.Problem.notFound
        }
    }

    /// - Parameter name: of letters, digits, a dot and an underscore, so it needs no quoting.
    private static func file(_ name: String, _ pem: String) -> Response {
        var response = Response(body: Array(pem.utf8))
        response.append(.contentType, "application/x-pem-file")
        response.append(.contentDisposition, "attachment; filename=\"\(name)\"")
        response.append(.cacheControl, "no-store")
        response.append(.xContentTypeOptions, "nosniff")
        return response
    }

    private func revoke(_ scope: Scope, _ sent: Form, _ key: Key) async throws -> Response {
        let confirmation = Confirmation(sent, expecting: key.id.rawValue)
        let reason: String
        do throws(FormProblems) {
            reason = try confirmation.reason()
        } catch {
            return try await respond(scope, key, (confirmation, error))
        }
        let revoked = try await registry.keys.revoke(
            key.id,
            reason: reason,
            in: scope.teamID,
            by: scope.actor,
            from: scope.origin
        )
        guard revoked != nil else { throw Web.Problem.notFound }
        registry.changed(scope.teamID)
        return scope.redirect(
            to: ConsoleRoutes.key.link(scope.teamID, key.id),
            saying: .good(Phrase("console.keys.flash.revoked"))
        )
    }
}

// The page of one key.
extension KeyEndpoints {
    private func find(_ id: KeyID, _ scope: Scope) async throws -> Key {
        guard let key = try await registry.keys.find(id, in: scope.teamID) else { throw Web.Problem.notFound }
        return key
    }

    private func respond(
        _ scope: Scope,
        _ key: Key,
        _ confirmation: (typed: Confirmation, problems: FormProblems)? = nil
    ) async throws -> Response {
        let team = scope.teamID
        let mayChange = scope.may(.changeKeys)
        let canDownload = mayChange && key.privateHalf == .awaitingDownload
        let view = KeyPage(
            frame: scope.frame(key.name),
            team: team,
            key: key,
            download: canDownload
                ? KeyPage.Download(
                    action: RegistryRoutes.keyDownload.link(team, key.id),
                    fileName: "AuthKey_\(key.id).p8"
                ) : nil,
            settings: key.revokedAt == nil
                ? ClientSettings(team: team, context: context).views(of: key) : [],
            rotation: key.isActive ? try await rotation(of: key, scope) : nil,
            danger: mayChange && key.isActive ? danger(key, confirmation, team) : nil
        )
        return scope.site.respond(show, view, status: (confirmation?.problems ?? .none).status)
    }

    private func rotation(of key: Key, _ scope: Scope) async throws -> KeyPage.Rotation {
        let keys = try await registry.activeKeys(of: key.appID, in: scope.teamID)
        let hasRoom = keys.count < Limit.activeKeys.count && scope.may(.changeKeys)
        return KeyPage.Rotation(
            team: scope.teamID,
            current: key.id,
            keys: keys,
            newKeyURL: hasRoom ? "\(ConsoleRoutes.newKey.link(scope.teamID))?app=\(key.appID)" : nil
        )
    }

    private func danger(
        _ key: Key,
        _ confirmation: (typed: Confirmation, problems: FormProblems)?,
        _ team: TeamID
    ) -> DangerView {
        let typed = confirmation?.typed ?? Confirmation(expecting: key.id.rawValue)
        return typed.view(
            action: RegistryRoutes.keyRevocation.link(team, key.id),
            summary: Phrase("console.keys.revoke.summary"),
            consequences: [Phrase("console.keys.revoke.advice")],
            button: Phrase("console.keys.revoke.button"),
            confirmation?.problems ?? .none
        )
    }
}

extension Web.Problem {
    /// The one download was before.
    fileprivate static let keyIsGone = Web.Problem(
        .gone,
        Phrase("console.keys.gone.headline"),
        Phrase("console.keys.gone.message"),
        advice: Phrase("console.keys.gone.advice")
    )

    /// Sealed by another master key than Pippin runs with.
    fileprivate static let keyIsSealed = Web.Problem(
        .internalServerError,
        Phrase("console.keys.sealed.headline"),
        Phrase("console.keys.sealed.message"),
        advice:
            Phrase("console.keys.sealed.advice")
    )
}
