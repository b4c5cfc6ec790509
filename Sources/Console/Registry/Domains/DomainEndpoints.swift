import Bytes
import Directory
import Doctor
import Domain
import HTTP
import Localization
import Registry
import Templates
import Tenancy
import Web

/// Handlers of a Service ID's domain: result of the last check, download of the association file, new check.
struct DomainEndpoints: Sendable {
    private let registry: RegistryStores
    private let checks: RegistryChecks
    private let database: TeamDatabase
    private let clock: @Sendable () -> Timestamp
    private let show: LivePage<DomainPage>

    /// - Throws: `Diagnostics` if a template does not match its page.
    init(_ registry: RegistryStores, _ parts: Console.Parts, _ pages: Pages) throws(Diagnostics) {
        self.registry = registry
        checks = parts.checks
        database = parts.database
        clock = parts.server.clock
        show = try pages.page(DomainPage.self)
    }

    func mount(on router: inout ConsoleRouter) {
        router.get(RegistryRoutes.domain, needs: .read, at: .serviceIDs) { context, name in
            let domain = try await find(name, context)
            return context.site.respond(show, page(of: domain, context))
        }
        router.get(RegistryRoutes.associationFile, needs: .read, at: .serviceIDs) { context, name in
            Self.file(try await find(name, context).file)
        }
        router.post(RegistryRoutes.domainChecks, needs: .changeRegistry, at: .serviceIDs) { context, _, name in
            try await check(context, try await find(name, context))
        }
    }

    private func find(_ name: String, _ context: TeamContext) async throws -> RegisteredDomain {
        guard let domain = try await registry.domains.find(name, in: context.teamID) else {
            throw UserFacingError.notFound
        }
        return domain
    }

    private func page(of domain: RegisteredDomain, _ context: TeamContext) -> DomainPage {
        DomainPage(
            frame: context.frame(domain.name.text), team: context.teamID, domain: domain,
            isNeeded: context.team.configuration.policy.requiresVerifiedDomains,
            checkURL: context.may(.changeRegistry)
                ? RegistryRoutes.domainChecks.link(context.teamID, domain.name.text) : nil)
    }

    /// Download of the file as `application/octet-stream`, so that no browser or editor changes it.
    private static func file(_ file: AssociationFile) -> Response {
        var response = Response(body: Array(file.content.utf8))
        response.append(.contentType, "application/octet-stream")
        response.append(.contentDisposition, "attachment; filename=\"\(AssociationFile.name)\"")
        response.append(.cacheControl, "no-store")
        response.append(.xContentTypeOptions, "nosniff")
        return response
    }

    private func check(_ context: TeamContext, _ domain: RegisteredDomain) async throws -> Response {
        try await database.count([RateLimit.Use(.probes, by: .team)], in: context.teamID, at: clock())
        let checked = try await checks.check(domain, in: context.teamID, by: context.actor, from: context.origin)
        guard let checked, let finding = checked.finding else { throw UserFacingError.notFound }
        if checked.isVerified != domain.isVerified { registry.changed(context.teamID) }
        let said = Message("console.domains.flash.checked", ["domain": domain.name.text])
        let flash: Flash = finding.kind == .served ? .good(said) : .warn(finding.headline)
        return context.redirect(to: RegistryRoutes.domain.link(context.teamID, domain.name.text), saying: flash)
    }
}
