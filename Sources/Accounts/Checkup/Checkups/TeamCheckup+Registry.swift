import Core
import HTTP
import OAuth
import Platform
import Registry

// Return URLs, domains and e-mail sources.
extension TeamCheckup {
    /// Maximum number of concurrent checks.
    private static let width = 8
    /// Maximum number of hosts of return URLs, and of domains.
    private static let hostLimit = 40
    /// Maximum number of e-mail sources; each has up to six records.
    private static let sourceLimit = 20

    /// Whether the host of each return URL answers, with a certificate that browsers trust.
    func checkReturnURLs(of team: Team) async throws -> [Finding] {
        let services = try await database.transaction(in: team.id) { transaction in
            try await ServiceIDStore(database).all(in: team.id, transaction)
        }
        let origins = Set(services.flatMap(\.returnURLs).compactMap(Self.origin))
        let loopback = team.settings.mode == .sandbox && checks.allowsLoopback
        let wanted = Array(origins.sorted().prefix(Self.hostLimit))
        let found = try await concurrently(wanted) { origin in
            let request = ClientRequest(
                "HEAD", "\(origin)/", deadline: .seconds(5), addresses: loopback ? .publicAndLoopback : .publicOnly,
                owner: team.id.rawValue)
            let answer = await namedHosts.answer(request)
            let host = String(origin.dropFirst("https://".count))
            return CertificateCheck(at: server.clock()).finding(
                Message("console.doctor.return-host", ["host": host]), of: host, answer)
        }
        let rest = origins.count - wanted.count
        return found
            + Self.others(
                rest, Message("console.doctor.return-hosts"),
                Message("console.doctor.return-hosts.rest", ["limit": Self.hostLimit], count: rest))
    }

    /// Scheme, host and port of an https return URL; nil for the others, which are on loopback addresses.
    private static func origin(_ url: ReturnURL) -> String? {
        guard url.text.hasPrefix("https://") else { return nil }
        let rest = url.text.dropFirst("https://".count)
        return "https://\(rest.prefix { $0 != "/" && $0 != "?" })"
    }

    func checkDomains(of team: Team, _ actor: Actor, _ origin: Origin) async throws -> [Finding] {
        let isNeeded = team.configuration.policy.requiresVerifiedDomains
        let all = try await DomainStore(database).all(in: team.id)
        let choice = LeastRecentlyChecked(of: all, most: Self.hostLimit) { $0.checkedAt }
        let found = try await concurrently(choice.things) { domain in
            guard let checked = try await checks.check(domain, in: team.id, by: actor, from: origin),
                let finding = checked.finding, let advice = checked.advice(isNeeded: isNeeded)
            else { return nil }
            let subject = Message("console.doctor.domain", ["domain": domain.name.text])
            if finding.kind == .served { return Finding(.good, subject, finding.headline) }
            if checked.isOwnMachine, !isNeeded { return Finding(.note, subject, advice) }
            return Finding(isNeeded ? .wrong : .note, subject, finding.headline, advice: [advice])
        }
        return found
            + Self.others(
                choice.rest, Message("console.doctor.domains"),
                Message("console.doctor.domains.rest", ["limit": Self.hostLimit], count: choice.rest))
    }

    /// Looks up the records of each source in the DNS.
    func checkMail(of team: TeamID) async throws -> [Finding] {
        let all = try await EmailSourceStore(database).list(in: team)
        let choice = LeastRecentlyChecked(of: all, most: Self.sourceLimit) { $0.checkedAt }
        let found = try await concurrently(choice.things) { known in
            guard let source = try await checks.check(known, in: team) else { return nil }
            let subject = Message("console.doctor.mail", ["source": source.source.text])
            return switch source.state {
            case .ok: Finding(.good, subject, Message("console.doctor.mail.ok"))
            case .pending: Finding(.note, subject, Message("console.doctor.mail.pending"))
            case .missing, .wrong:
                Finding(
                    .wrong, subject, Message("console.doctor.mail.wrong"),
                    advice: source.records.filter { $0.state == .missing || $0.state == .wrong }.map { $0.repair })
            }
        }
        return found
            + Self.others(
                choice.rest, Message("console.doctor.mails"),
                Message("console.doctor.mails.rest", ["limit": Self.sourceLimit], count: choice.rest))
    }

    /// A note about objects that a check-up omitted; empty when there are none.
    static func others(_ count: Int, _ subject: Message, _ message: Message) -> [Finding] {
        count > 0 ? [Finding(.note, subject, message)] : []
    }

    /// Checks concurrently, up to `width` at a time, and returns the findings in the order of `things`.
    private func concurrently<Thing: Sendable>(
        _ things: [Thing], _ check: @escaping @Sendable (Thing) async throws -> Finding?
    ) async throws -> [Finding] {
        var found: [Int: Finding] = [:]
        try await withThrowingTaskGroup(of: (Int, Finding?).self) { group in
            for (index, thing) in things.enumerated() {
                if index >= Self.width, let (index, finding) = try await group.next() { found[index] = finding }
                group.addTask { (index, try await check(thing)) }
            }
            for try await (index, finding) in group { found[index] = finding }
        }
        return things.indices.compactMap { found[$0] }
    }
}

// Unused, old and incomplete objects, and client secrets that expire soon.
extension TeamCheckup {
    /// Omits unverified domains, because `checkDomains` reports them.
    func checkUse(of team: TeamID) async throws -> [Finding] {
        let found = try await TeamAttentionStore(database).find(team, at: server.clock()).filter {
            $0.kind != .domainUnverified
        }
        let endsSomething = found.contains { [.secretEnds, .secretEnded].contains($0.kind) }
        return found.map(\.finding) + (endsSomething ? [] : [Self.nothingEnds])
    }

    private static var nothingEnds: Finding {
        Finding(.good, Message("console.doctor.ends"), Message("console.doctor.ends.nothing"))
    }
}

extension TeamAttention {
    fileprivate var finding: Finding {
        switch (kind, since) {
        case (.secretEnds, let end?):
            Finding(
                .note, Message("console.doctor.secret", ["client": subject]),
                Message("console.doctor.secret.ends", ["at": end]), advice: [Message("console.doctor.secret.advice")])
        case (.secretEnded, let end?):
            Finding(
                .wrong, Message("console.doctor.secret", ["client": subject]),
                Message("console.doctor.secret.ended", ["at": end]), advice: [Message("console.doctor.secret.advice")])
        default: Finding(.note, subject, Message(in: "console.attention", kind.rawValue))
        }
    }
}

extension MailRecord {
    /// The text to publish, or where to find it.
    fileprivate var repair: Message {
        guard let advice else { return Message("console.doctor.mail.look", ["name": name]) }
        return Message("console.doctor.mail.advice", ["name": name, "text": advice])
    }
}
