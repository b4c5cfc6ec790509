import Core
import HTTP
import Platform
import Registry
import SignIn
import Templates

/// Handlers of a Service ID's domain: result of the last check, download of the association file, new check.
struct DomainPages: ConsolePages {
    let parts: Console.Parts

    func mount(on router: inout ConsoleRouter) {
        router.get(RegistryRoutes.domain, needs: .read, at: .serviceIDs) { context, name in
            let domain = try await find(name, context)
            return context.site.respond(page(of: domain, context))
        }
        router.get(RegistryRoutes.associationFile, needs: .read, at: .serviceIDs) { context, name in
            // A type that no browser or editor changes.
            .attachment(
                try await find(name, context).file.content, named: AssociationFile.name,
                type: "application/octet-stream")
        }
        router.post(RegistryRoutes.domainChecks, needs: .changeRegistry, at: .serviceIDs) { context, _, name in
            try await check(context, try await find(name, context))
        }
    }

    private func find(_ name: String, _ context: TeamContext) async throws -> RegisteredDomain {
        try await registry.domains.find(name, in: context.teamID).orNotFound()
    }

    private func page(of domain: RegisteredDomain, _ context: TeamContext) -> DomainPage {
        DomainPage(
            frame: context.frame(domain.name.text), team: context.teamID, domain: domain,
            isNeeded: context.team.settings.requiresVerifiedDomains,
            checkURL: context.may(.changeRegistry)
                ? RegistryRoutes.domainChecks.link(context.teamID, domain.name.text) : nil)
    }

    private func check(_ context: TeamContext, _ domain: RegisteredDomain) async throws -> Response {
        try await count(.probes, in: context.teamID)
        let checked = try await parts.checks.check(domain, in: context.teamID, by: context.actor, from: context.origin)
        guard let checked, let finding = checked.finding else { throw UserFacingError.notFound }
        if checked.isVerified != domain.isVerified { registry.changed(context.teamID) }
        let said = Message("console.domains.flash.checked", ["domain": domain.name.text])
        let flash: Flash = finding.kind == .served ? .good(said) : .warn(finding.headline)
        return context.redirect(to: RegistryRoutes.domain.link(context.teamID, domain.name.text), saying: flash)
    }

    static var views: [any View.Type] { [DomainPage.self] }
}

/// Page of one domain: the result of the last check, and the file that it must serve.
struct DomainPage: FramedPage {
    static let template = "console/domains/show"
    static let fields = frameFields.with {
        $0.text("name") { $0.domain.name.text }
        $0.group("state", BadgeView.fields) { $0.domain.badge(isNeeded: $0.isNeeded) }
        $0.optionalGroup("checked", TimeView.fields) { $0.domain.checkedAt.map(TimeView.init) }
        $0.optionalText("checkURL") { $0.checkURL }
        $0.optionalGroup("lapses", TimeView.fields) { $0.lapses }
        $0.optionalGroup("finding", findingFields) { $0.domain.finding }
        $0.flag("idle") { $0.domain.isOwnMachine && !$0.isNeeded }
        $0.optionalWords("advice") { $0.domain.advice(isNeeded: $0.isNeeded) }
        $0.group("address", CopyView.fields) { page in
            CopyView(Message("console.domains.address"), page.domain.associationURL)
        }
        $0.group("fileContent", CopyView.fields) { page in
            CopyView(Message("console.domains.content"), page.domain.file.content)
        }
        $0.text("fileURL") { RegistryRoutes.associationFile.link($0.team, $0.domain.name.text) }
        $0.text("fileName") { _ in AssociationFile.name }
        $0.rows("serviceIDs") { page in
            page.domain.serviceIDs.map { ListRow($0.rawValue, at: ConsoleRoutes.serviceID.link(page.team, $0)) }
        }
    }

    private static let findingFields = Fields<DomainFinding> {
        $0.flag("good") { $0.kind == .served }
        $0.words("headline") { $0.headline }
        $0.optionalText("status") { $0.status.map { String($0) } }
        $0.optionalText("location") { $0.kind == .redirected ? $0.detail : nil }
        $0.optionalText("beginning") { finding in
            [.otherStatus, .otherContent].contains(finding.kind) ? finding.detail : nil
        }
    }

    let frame: ConsoleFrame
    let team: TeamID
    let domain: RegisteredDomain
    /// Whether the team accepts return URLs on verified domains only.
    let isNeeded: Bool
    let checkURL: String?

    /// Time at which a verified domain with failing checks becomes unverified.
    private var lapses: TimeView? {
        guard case .failing(let since) = domain.state else { return nil }
        return TimeView(since + RegisteredDomain.grace)
    }
}

extension RegisteredDomain {
    /// - Parameter isNeeded: whether the team accepts return URLs on verified domains only.
    func badge(isNeeded: Bool) -> BadgeView {
        switch state {
        case .pending: BadgeView(.plain, Message("console.domains.state.pending"))
        case .verified: BadgeView(.good, Message("console.domains.state.verified"))
        case .failing: BadgeView(.warn, Message("console.domains.state.failing"))
        case .unverified where isOwnMachine && !isNeeded:
            BadgeView(.plain, Message("console.domains.state.own-machine"))
        case .unverified: BadgeView(.bad, Message("console.domains.state.unverified"))
        }
    }
}
