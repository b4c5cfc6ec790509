public import AuthEngine
import Bytes
import Directory
public import Domain
public import HTTPClient
public import Providers
public import Registry
public import Tenancy

/// Looks at what one team has set up, live.
public struct TeamCheckup: Sendable {
    private let database: TeamDatabase
    private let context: EngineContext
    private let apple: AppleProvider
    private let surroundings: Surroundings
    private let checks: RegistryChecks

    /// - Parameters:
    ///   - apple: belongs to the client's loop, as `checks` does.
    ///   - client: asks for addresses of this installation.
    public init(
        _ database: TeamDatabase,
        context: EngineContext,
        apple: AppleProvider,
        checks: RegistryChecks,
        client: HTTPClient
    ) {
        self.database = database
        self.context = context
        self.apple = apple
        self.checks = checks
        surroundings = Surroundings(context: context, client: client)
    }

    /// - Parameters:
    ///   - actor: who asked; a domain whose state changes by it is on record.
    public func run(
        _ team: Team,
        by actor: Actor,
        from origin: Origin
    ) async throws -> [Finding] {
        let connections = try await AppleConnectionStore(database).list(in: team.id)
        var findings = sources(team.settings.identitySources, connections)
        for connection in connections { findings += try await look(at: connection, of: team.id) }
        if !connections.isEmpty { findings += await lookAtAddresses(of: team.id) }
        findings += try await lookAtDomains(of: team, actor, origin)
        findings += try await lookAtMail(of: team.id)
        return findings + (try await lookAtUse(of: team.id))
    }

    private func sources(_ sources: [IdentitySource], _ connections: [AppleConnection]) -> [Finding] {
        let subject = Phrase("console.doctor.sources")
        switch (sources.contains(.apple), connections.isEmpty) {
        case (true, true):
            let advice = Phrase("console.doctor.sources.unconnected.advice")
            return [
                Finding(.wrong, subject, Phrase("console.doctor.sources.unconnected"), advice: [advice])
            ]
        case (false, false): return [Finding(.note, subject, Phrase("console.doctor.sources.unused"))]
        default: return []
        }
    }
}

// Apple.
extension TeamCheckup {
    private func look(at connection: AppleConnection, of team: TeamID) async throws -> [Finding] {
        let tests = ConnectionTests(database, context: context, apple: apple)
        let app = connection.appID
        guard let results = try await tests.test(app, in: team),
            let registration = try await tests.registration(of: app, in: team)
        else {
            return [
                Finding(
                    .wrong,
                    Phrase("console.doctor.key", ["key": connection.keyID.rawValue]),
                    Phrase("console.doctor.key.sealed"),
                    advice: [Phrase("console.doctor.key.sealed.advice")]
                )
            ]
        }
        let isKeyProved = results.contains { $0.outcome == .accepted }
        let found = results.map { result in
            Finding(
                result.outcome == .accepted ? .good : .wrong,
                Phrase("console.doctor.client", ["client": result.clientID.rawValue]),
                result.meaning,
                advice: result.advice(
                    isServicesID: result.clientID == connection.servicesID,
                    isKeyProved: isKeyProved
                )
            )
        }
        return found + [await lookAtSheet(registration, of: team)]
    }

    private func lookAtSheet(_ registration: AppleRegistration, of team: TeamID) async -> Finding {
        let url = context.returnURL(of: .apple, in: team)
        let client = registration.servicesID.rawValue
        let subject = Phrase("console.doctor.sheet", ["client": client])
        switch await apple.sheet(of: registration, returnURL: url) {
        case .opens: return Finding(.good, subject, Phrase("console.doctor.sheet.opens", ["url": url]))
        case .refuses(let status):
            return Finding(
                .wrong,
                subject,
                Phrase("console.doctor.sheet.refuses", ["status": String(status)]),
                advice: [Phrase("console.doctor.sheet.refuses.advice", ["url": url, "client": client])]
            )
        case .unknown(let reason):
            return Finding(.note, subject, Phrase("console.doctor.sheet.unknown", ["reason": reason]))
        }
    }

    /// Return URL and notification endpoint, asked by the name that Apple uses.
    private func lookAtAddresses(of team: TeamID) async -> [Finding] {
        let base = context.base(of: team)
        let back = ClientRequest("GET", "\(base)/.well-known/openid-configuration", addresses: .any)
        let notices = ClientRequest(
            "POST",
            context.notificationURL(of: .apple, in: team),
            fields: [("Content-Type", "application/json")],
            body: Array(#"{"payload":""}"#.utf8),
            addresses: .any
        )
        return [
            address(
                Phrase("console.doctor.return-url"),
                context.returnURL(of: .apple, in: team),
                await surroundings.answers(back),
                wanted: 200...200
            ),
            // It refuses what Apple did not sign; that it is there is all that is asked.
            address(
                Phrase("console.doctor.notices"),
                notices.url,
                await surroundings.answers(notices),
                wanted: 200...403
            ),
        ]
    }

    private func address(
        _ subject: Phrase,
        _ url: String,
        _ answer: Result<Int, ClientFailure>,
        wanted: ClosedRange<Int>
    ) -> Finding {
        let reason: String
        switch answer {
        case .success(let status) where wanted.contains(status) && !(300..<400).contains(status):
            return surroundings.isLoopback
                ? Finding(.note, subject, Phrase("console.doctor.address.loopback", ["url": url]))
                : Finding(.good, subject, Phrase("console.doctor.address.answers", ["url": url]))
        case .success(let status): reason = "status \(status)"
        case .failure(let failure): reason = "\(failure)"
        }
        return Finding(
            .wrong,
            subject,
            Phrase("console.doctor.way-in.silent", ["url": url, "reason": reason]),
            advice: [Phrase("console.doctor.way-in.silent.advice")]
        )
    }
}

// What is registered.
extension TeamCheckup {
    private func lookAtDomains(
        of team: Team,
        _ actor: Actor,
        _ origin: Origin
    ) async throws -> [Finding] {
        var findings: [Finding] = []
        for domain in try await DomainStore(database).all(in: team.id) {
            let checked = try await checks.check(domain, in: team.id, by: actor, from: origin)
            guard let finding = checked?.finding else { continue }
            let isWrong = finding.kind != .served
            let isNeeded = team.configuration.policy.requiresVerifiedDomains
            findings.append(
                Finding(
                    isWrong ? (isNeeded ? .wrong : .note) : .good,
                    Phrase("console.doctor.domain", ["domain": domain.name.text]),
                    finding.headline,
                    advice: isWrong ? [finding.advice] : []
                )
            )
        }
        return findings
    }

    /// As the last check of each source saw it.
    private func lookAtMail(of team: TeamID) async throws -> [Finding] {
        try await EmailSourceStore(database).list(in: team).map { source in
            let subject = Phrase("console.doctor.mail", ["source": source.source.text])
            return switch source.state {
            case .ok: Finding(.good, subject, Phrase("console.doctor.mail.ok"))
            case .pending: Finding(.note, subject, Phrase("console.doctor.mail.pending"))
            case .missing, .wrong:
                Finding(
                    .wrong,
                    subject,
                    Phrase("console.doctor.mail.wrong"),
                    advice: source.records.filter { $0.state == .missing || $0.state == .wrong }.map {
                        $0.repair
                    }
                )
            }
        }
    }

    /// What is unused, old or half done; domains have been looked at.
    private func lookAtUse(of team: TeamID) async throws -> [Finding] {
        try await TeamAttentionStore(database).find(team, at: context.clock())
            .filter { $0.kind != .domainUnverified }
            .map { Finding(.note, $0.subject, Phrase(in: "console.attention", $0.kind.rawValue)) }
    }
}

extension MailRecord {
    /// The record to put there, or where to look for it.
    fileprivate var repair: Phrase {
        guard let advice else { return Phrase("console.doctor.mail.look", ["name": name]) }
        return Phrase("console.doctor.mail.advice", ["name": name, "text": advice])
    }
}
