import AuthEngine
import Bytes
import Directory
import Doctor
import Domain
import HTTP
import Registry
import Templates
import Tenancy
import Web

/// Domains of Service IDs: what the last check saw, the file to serve, another check.
struct DomainEndpoints: Sendable {
    private let registry: RegistryStores
    private let checks: RegistryChecks
    private let limit: RegistryCheckLimit
    private let clock: @Sendable () -> Timestamp
    private let show: LivePage<DomainPage>

    /// - Throws: `Diagnostics`, when a template does not fit its page.
    init(_ registry: RegistryStores, _ parts: Console.Parts, _ pages: Pages) throws(Diagnostics) {
        self.registry = registry
        checks = parts.checks
        limit = RegistryCheckLimit(LimitStore(parts.database))
        clock = parts.context.clock
        show = try pages.page(DomainPage.self)
    }

    func mount(on router: inout ConsoleRouter) {
        router.get(RegistryRoutes.domain, needs: .read, at: .serviceIDs) { scope, name in
            let domain = try await find(name, scope)
            return scope.site.respond(show, page(of: domain, scope))
        }
        router.get(RegistryRoutes.associationFile, needs: .read, at: .serviceIDs) { scope, name in
            Self.file(try await find(name, scope).file)
        }
        router.post(RegistryRoutes.domainChecks, needs: .changeRegistry, at: .serviceIDs) { scope, _, name in
            try await check(scope, try await find(name, scope))
        }
    }

    private func find(_ name: String, _ scope: Scope) async throws -> RegisteredDomain {
        guard let domain = try await registry.domains.find(name, in: scope.teamID) else {
            throw Web.Problem.notFound
        }
        return domain
    }

    private func page(
        of domain: RegisteredDomain,
        _ scope: Scope,
        checkWait: Duration? = nil
    ) -> DomainPage {
        DomainPage(
            frame: scope.frame(domain.name.text),
            team: scope.teamID,
            domain: domain,
            isNeeded: scope.team.configuration.policy.requiresVerifiedDomains,
            checkURL: scope.may(.changeRegistry)
                ? RegistryRoutes.domainChecks.link(scope.teamID, domain.name.text) : nil,
            checkWait: checkWait
        )
    }

    /// As octets, lest a browser or an editor adds to it.
    private static func file(_ file: AssociationFile) -> Response {
        var response = Response(body: Array(file.content.utf8))
        response.append(.contentType, "application/octet-stream")
        response.append(.contentDisposition, "attachment; filename=\"\(AssociationFile.name)\"")
        response.append(.cacheControl, "no-store")
        response.append(.xContentTypeOptions, "nosniff")
        return response
    }

    private func check(_ scope: Scope, _ domain: RegisteredDomain) async throws -> Response {
        let work = RegistryCheckLimit.Work.one(host: domain.name.text)
        if let wait = try await limit.charge(work, by: scope.account.subject, of: scope.teamID, at: clock()) {
            return scope.site.respond(show, page(of: domain, scope, checkWait: wait), after: wait)
        }
        let checked = try await checks.check(
            domain,
            in: scope.teamID,
            by: scope.actor,
            from: scope.origin
        )
        guard let checked, let finding = checked.finding else { throw Web.Problem.notFound }
        if checked.isVerified != domain.isVerified { registry.changed(scope.teamID) }
        let said = Phrase("console.domains.flash.checked", ["domain": domain.name.text])
        let flash: Flash = finding.kind == .served ? .good(said) : .warn(finding.headline)
        return scope.redirect(
            to: RegistryRoutes.domain.link(scope.teamID, domain.name.text),
            saying: flash
        )
    }
}
