import Bytes
import Domain
import HTTP
import Localization
import Registry
import Templates
import Web

/// Handlers of keys: list, create, download once, revoke.
struct KeyEndpoints: Sendable {
    private let registry: RegistryStores
    private let server: ServerContext
    private let list: LivePage<KeyListPage>
    private let new: LivePage<NewKeyPage>
    private let show: LivePage<KeyPage>

    /// - Throws: `Diagnostics` if a template does not match its page.
    init(_ registry: RegistryStores, _ server: ServerContext, _ pages: Pages) throws(Diagnostics) {
        self.registry = registry
        self.server = server
        list = try pages.page(KeyListPage.self)
        new = try pages.page(NewKeyPage.self)
        show = try pages.page(KeyPage.self)
    }

    func mount(on router: inout ConsoleRouter) {
        router.get(ConsoleRoutes.keys, needs: .read, at: .keys) { try await index($0) }
        router.get(ConsoleRoutes.newKey, needs: .changeKeys, at: .keys) { context in
            let chosen = (try? context.request.query())?["app"] ?? ""
            return try await newPage(context, NewKeyPage.Form(name: "", appID: chosen), .none)
        }
        router.post(ConsoleRoutes.keys, needs: .changeKeys, at: .keys) { context, form in
            try await issue(context, NewKeyPage.Form(name: form["name"] ?? "", appID: form["appID"] ?? ""))
        }
        router.get(ConsoleRoutes.key, needs: .read, at: .keys) { context, id in
            try await respond(context, try await find(id, context))
        }
        router.post(RegistryRoutes.keyDownload, needs: .changeKeys, at: .keys) { context, _, id in
            try await download(context, id)
        }
        router.post(RegistryRoutes.keyRevocation, needs: .changeKeys, at: .keys, countsForTeam: false) {
            context, form, id in try await revoke(context, form, try await find(id, context))
        }
    }

    private func index(_ context: TeamContext) async throws -> Response {
        let team = context.teamID
        let address = try ListAddress(context.request, path: ConsoleRoutes.keys.link(team))
        let page = try await registry.keys.list(address.ofKeys, in: team)
        let view = KeyListPage(
            frame: context.frame(Message("console.keys.title")), query: address.searched,
            rows: page.items.map { KeyListPage.Row(team: team, key: $0) },
            hasAppIDs: try await registry.hasAppIDs(in: team),
            paging: address.paging(Message("console.keys.found", count: page.total), next: page.next),
            newURL: context.may(.changeKeys) ? ConsoleRoutes.newKey.link(team) : nil,
            newAppIDURL: context.may(.changeRegistry) ? ConsoleRoutes.newAppID.link(team) : nil,
            appleKeys: try await registry.appleKeys.list(in: team).map { KeyListPage.AppleRow(team: team, key: $0) },
            importURL: context.may(.changeKeys) ? RegistryRoutes.appleKeys.new.link(team) : nil)
        return context.site.respond(list, view)
    }

    private func newPage(_ context: TeamContext, _ form: NewKeyPage.Form, _ problems: FormProblems) async throws
        -> Response
    {
        let view = NewKeyPage(
            frame: context.frame(Message("console.registry.new-key")), action: ConsoleRoutes.keys.link(context.teamID),
            form: form, problems: problems, primaries: try await registry.primaries(in: context.teamID))
        return context.site.respond(new, view, status: problems.status)
    }

    private func issue(_ context: TeamContext, _ form: NewKeyPage.Form) async throws -> Response {
        let outcome = try await FormProblems.collect {
            let issue = try Key.Issue(name: form.name, appID: form.appID)
            return try await registry.keys.issue(issue, in: context.teamID, by: context.actor, from: context.origin)
        }
        switch outcome {
        case .failure(let problems): return try await newPage(context, form, problems)
        case .success(let key):
            registry.changed(context.teamID)
            return context.redirect(to: ConsoleRoutes.key.link(context.teamID, key.id))
        }
    }

    private func download(_ context: TeamContext, _ id: KeyID) async throws -> Response {
        switch try await registry.keys.download(id, in: context.teamID, by: context.actor, from: context.origin) {
        case .file(let name, let pem): Self.file(name, pem)
        case .gone: throw UserFacingError.keyIsGone
        case .unreadable: throw UserFacingError.keyIsSealed
        case .notFound: throw UserFacingError.notFound
        }
    }

    /// - Parameter name: a file name of letters, digits, a dot and an underscore, which needs no escaping.
    private static func file(_ name: String, _ pem: String) -> Response {
        var response = Response(body: Array(pem.utf8))
        response.append(.contentType, "application/x-pem-file")
        response.append(.contentDisposition, "attachment; filename=\"\(name)\"")
        response.append(.cacheControl, "no-store")
        response.append(.xContentTypeOptions, "nosniff")
        return response
    }

    private func revoke(_ context: TeamContext, _ sent: Form, _ key: Key) async throws -> Response {
        let confirmation = Confirmation(sent, expecting: key.id.rawValue)
        let reason: String
        do throws(FormProblems) { reason = try confirmation.reason() } catch {
            return try await respond(context, key, (confirmation, error))
        }
        let revoked = try await registry.keys.revoke(
            key.id, reason: reason, in: context.teamID, by: context.actor, from: context.origin)
        guard revoked != nil else { throw UserFacingError.notFound }
        registry.changed(context.teamID)
        return context.redirect(
            to: ConsoleRoutes.key.link(context.teamID, key.id), saying: .good(Message("console.keys.flash.revoked")))
    }
}

// Page of one key.
extension KeyEndpoints {
    private func find(_ id: KeyID, _ context: TeamContext) async throws -> Key {
        guard let key = try await registry.keys.find(id, in: context.teamID) else { throw UserFacingError.notFound }
        return key
    }

    private func respond(
        _ context: TeamContext, _ key: Key, _ confirmation: (typed: Confirmation, problems: FormProblems)? = nil
    ) async throws -> Response {
        let team = context.teamID
        let mayChange = context.may(.changeKeys)
        let canDownload = mayChange && key.privateHalf == .awaitingDownload
        let view = KeyPage(
            frame: context.frame(key.name), team: team, key: key,
            download: canDownload
                ? KeyPage.Download(
                    action: RegistryRoutes.keyDownload.link(team, key.id), fileName: "AuthKey_\(key.id).p8") : nil,
            settings: key.revokedAt == nil ? ClientSettings(team: team, server: server).views(of: key) : [],
            rotation: key.isActive ? try await rotation(of: key, context) : nil,
            danger: mayChange && key.isActive ? danger(key, confirmation, team) : nil)
        return context.site.respond(show, view, status: (confirmation?.problems ?? .none).status)
    }

    private func rotation(of key: Key, _ context: TeamContext) async throws -> KeyPage.Rotation {
        let keys = try await registry.activeKeys(of: key.appID, in: context.teamID)
        let hasRoom = keys.count < Quota.activeKeys.count && context.may(.changeKeys)
        return KeyPage.Rotation(
            team: context.teamID, current: key.id, keys: keys,
            newKeyURL: hasRoom ? "\(ConsoleRoutes.newKey.link(context.teamID))?app=\(key.appID)" : nil)
    }

    private func danger(_ key: Key, _ confirmation: (typed: Confirmation, problems: FormProblems)?, _ team: TeamID)
        -> DangerView
    {
        let typed = confirmation?.typed ?? Confirmation(expecting: key.id.rawValue)
        return typed.view(
            action: RegistryRoutes.keyRevocation.link(team, key.id), summary: Message("console.keys.revoke.summary"),
            consequences: [Message("console.keys.revoke.advice")], button: Message("console.keys.revoke.button"),
            confirmation?.problems ?? .none)
    }
}

extension UserFacingError {
    /// The private key was already downloaded, which is possible only once.
    fileprivate static let keyIsGone = UserFacingError(
        .gone, Message("console.keys.gone.headline"), Message("console.keys.gone.message"),
        advice: Message("console.keys.gone.advice"))

    /// The private key is encrypted with another master key than the configured one.
    fileprivate static let keyIsSealed = UserFacingError(
        .internalServerError, Message("console.keys.sealed.headline"), Message("console.keys.sealed.message"),
        advice: Message("console.keys.sealed.advice"))
}
