import AuthEngine
import Bytes
import Domain
import HTTPClient
import Registry
import Tenancy

// What is registered.
extension TeamCheckup {
    /// Things looked at at a time.
    private static let width = 8
    /// Hosts of return URLs in all, and as many domains.
    private static let hostLimit = 40
    /// E-mail sources in all: of each there are up to six records.
    private static let sourceLimit = 20

    /// Whether each host that people are sent back to answers, with a certificate that browsers believe.
    func lookAtReturnURLs(of team: Team) async throws -> [Finding] {
        let services = try await database.transaction(in: team.id) { transaction in
            try await ServiceIDStore(database).all(in: team.id, transaction)
        }
        let origins = Set(services.flatMap(\.returnURLs).compactMap(Self.origin))
        let loopback = team.settings.mode == .sandbox && checks.allowsLoopback
        let wanted = Array(origins.sorted().prefix(Self.hostLimit))
        let found = try await concurrently(wanted) { origin in
            let request = ClientRequest(
                "HEAD",
                "\(origin)/",
                deadline: .seconds(5),
                addresses: loopback ? .publicAndLoopback : .publicOnly,
                owner: team.id.rawValue
            )
            let answer = await namedHosts.answer(request)
            let host = String(origin.dropFirst("https://".count))
            return CertificateCheck(at: context.clock()).finding(
                Phrase("console.doctor.return-host", ["host": host]),
                of: host,
                answer
            )
        }
        let rest = origins.count - wanted.count
        return found
            + Self.others(
                rest,
                Phrase("console.doctor.return-hosts"),
                Phrase("console.doctor.return-hosts.rest", ["limit": Self.hostLimit], count: rest)
            )
    }

    /// Scheme, host and port of an encrypted return URL; the others lie on this machine.
    private static func origin(_ url: ReturnURL) -> String? {
        guard url.text.hasPrefix("https://") else { return nil }
        let rest = url.text.dropFirst("https://".count)
        return "https://\(rest.prefix { $0 != "/" && $0 != "?" })"
    }

    func lookAtDomains(
        of team: Team,
        _ actor: Actor,
        _ origin: Origin
    ) async throws -> [Finding] {
        let isNeeded = team.configuration.policy.requiresVerifiedDomains
        let all = try await DomainStore(database).all(in: team.id)
        let choice = Choice(of: all, most: Self.hostLimit) { $0.checkedAt }
        let found = try await concurrently(choice.things) { domain in
            guard let checked = try await checks.check(domain, in: team.id, by: actor, from: origin),
                let finding = checked.finding, let advice = checked.advice(isNeeded: isNeeded)
            else { return nil }
            let subject = Phrase("console.doctor.domain", ["domain": domain.name.text])
            if finding.kind == .served { return Finding(.good, subject, finding.headline) }
            if checked.isOwnMachine, !isNeeded { return Finding(.note, subject, advice) }
            return Finding(isNeeded ? .wrong : .note, subject, finding.headline, advice: [advice])
        }
        return found
            + Self.others(
                choice.rest,
                Phrase("console.doctor.domains"),
                Phrase("console.doctor.domains.rest", ["limit": Self.hostLimit], count: choice.rest)
            )
    }

    /// The records of each source as the name servers know them now.
    func lookAtMail(of team: TeamID) async throws -> [Finding] {
        let all = try await EmailSourceStore(database).list(in: team)
        let choice = Choice(of: all, most: Self.sourceLimit) { $0.checkedAt }
        let found = try await concurrently(choice.things) { known in
            guard let source = try await checks.check(known, in: team) else { return nil }
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
        return found
            + Self.others(
                choice.rest,
                Phrase("console.doctor.mails"),
                Phrase("console.doctor.mails.rest", ["limit": Self.sourceLimit], count: choice.rest)
            )
    }

    /// What is said of things that a check-up left out; nothing where there are none.
    static func others(_ count: Int, _ subject: Phrase, _ message: Phrase) -> [Finding] {
        count > 0 ? [Finding(.note, subject, message)] : []
    }

    /// One finding for each thing, a few at a time, in the order of the things.
    private func concurrently<Thing: Sendable>(
        _ things: [Thing],
        _ look: @escaping @Sendable (Thing) async throws -> Finding?
    ) async throws -> [Finding] {
        var found: [Int: Finding] = [:]
        try await withThrowingTaskGroup(of: (Int, Finding?).self) { group in
            for (index, thing) in things.enumerated() {
                if index >= Self.width, let (index, finding) = try await group.next() {
                    found[index] = finding
                }
                group.addTask { (index, try await look(thing)) }
            }
            for try await (index, finding) in group { found[index] = finding }
        }
        return things.indices.compactMap { found[$0] }
    }
}

// What is unused, old or half done, and what ends soon.
extension TeamCheckup {
    /// Domains have been looked at.
    func lookAtUse(of team: TeamID) async throws -> [Finding] {
        let found = try await TeamAttentionStore(database).find(team, at: context.clock())
            .filter { $0.kind != .domainUnverified }
        let endsSomething = found.contains { [.secretEnds, .secretEnded].contains($0.kind) }
        return found.map(\.finding) + (endsSomething ? [] : [Self.nothingEnds])
    }

    private static var nothingEnds: Finding {
        Finding(.good, Phrase("console.doctor.ends"), Phrase("console.doctor.ends.nothing"))
    }
}

extension TeamAttention {
    fileprivate var finding: Finding {
        switch (kind, since) {
        case (.secretEnds, let end?):
            Finding(
                .note,
                Phrase("console.doctor.secret", ["client": subject]),
                Phrase("console.doctor.secret.ends", ["at": end]),
                advice: [Phrase("console.doctor.secret.advice")]
            )
        case (.secretEnded, let end?):
            Finding(
                .wrong,
                Phrase("console.doctor.secret", ["client": subject]),
                Phrase("console.doctor.secret.ended", ["at": end]),
                advice: [Phrase("console.doctor.secret.advice")]
            )
        default: Finding(.note, subject, Phrase(in: "console.attention", kind.rawValue))
        }
    }
}

extension MailRecord {
    /// The record to put there, or where to look for it.
    fileprivate var repair: Phrase {
        guard let advice else { return Phrase("console.doctor.mail.look", ["name": name]) }
        return Phrase("console.doctor.mail.advice", ["name": name, "text": advice])
    }
}
