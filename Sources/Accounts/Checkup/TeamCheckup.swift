import Core
public import Federation
public import HTTP
import OAuth
public import Platform
public import Registry

/// Live check-up of one team's connections to Apple, addresses, domains and email sources.
public struct TeamCheckup: Sendable {
    let database: TeamDatabase
    let server: ServerContext
    private let apple: AppleProvider
    let surroundings: CheckupEnvironment
    let checks: RegistryChecks
    /// The environment for hosts that the team has named.
    private var namedHosts: CheckupEnvironment { CheckupEnvironment(server: server, client: checks.client) }

    /// - Parameters:
    ///   - apple: the provider of the client's loop, which is also the loop of `checks`.
    ///   - client: a client for addresses of this installation.
    public init(
        _ database: TeamDatabase, server: ServerContext, apple: AppleProvider, checks: RegistryChecks,
        client: HTTPClient
    ) {
        self.database = database
        self.server = server
        self.apple = apple
        self.checks = checks
        surroundings = CheckupEnvironment(server: server, client: client)
    }

    /// - Parameters:
    ///   - actor: the actor in the audit event of a domain whose state changes.
    public func run(_ team: Team, by actor: Actor, from origin: Origin) async throws -> [Finding] {
        let connections = try await AppleConnectionStore(database).list(in: team.id)
        var findings = sources(of: team.settings, connections)
        findings += try await check(connections, of: team.id)
        if !connections.isEmpty {
            findings += try await checkAddresses(of: team.id)
            findings += try await checkAppleKeys(of: team)
        }
        findings += try await checkReturnURLs(of: team)
        findings += try await checkDomains(of: team, actor, origin)
        findings += try await checkMail(of: team.id)
        return findings + (try await checkUse(of: team.id))
    }

    /// Whether one of the teams has a connection to Apple: without one, no response from Apple is only a note.
    public func needsApple(_ teams: [TeamID]) async throws -> Bool {
        let store = AppleConnectionStore(database)
        for team in teams where try await !store.list(in: team).isEmpty { return true }
        return false
    }

    private func sources(of team: TeamSettings, _ connections: [AppleConnection]) -> [Finding] {
        let subject = Message("console.checkup.sources")
        switch (team.identitySources.contains(.apple), connections.isEmpty) {
        case (true, true):
            let advice = Message("console.checkup.sources.unconnected.advice")
            return [Finding(.wrong, subject, Message("console.checkup.sources.unconnected"), advice: [advice])]
        case (true, false) where team.registration != .open:
            let advice = Message("console.checkup.sources.closed.advice")
            return [Finding(.note, subject, Message("console.checkup.sources.closed"), advice: [advice])]
        case (false, false): return [Finding(.note, subject, Message("console.checkup.sources.unused"))]
        default: return []
        }
    }

    /// What Apple's keys in the key set, or their absence, mean beside Service IDs with Apple's issuer.
    private func checkAppleKeys(of team: Team) async throws -> [Finding] {
        let services = try await database.transaction(in: team.id) { transaction in
            try await ServiceIDStore(database).all(in: team.id, transaction)
        }
        let named = services.filter { $0.issuer == .apple }.prefix(10).map {
            LocalizedText.verbatim($0.identifier.rawValue)
        }
        guard !named.isEmpty, team.settings.appleKeys != .off else { return [] }
        let clients = LocalizedText.list(named)
        let (words, advice) =
            team.settings.appleKeys == .always
            ? (
                Message("console.checkup.apple-keys.always", ["clients": clients]),
                Message("console.checkup.apple-keys.always.advice")
            )
            : (
                Message("console.checkup.apple-keys.automatic", ["clients": clients]),
                Message("console.checkup.apple-keys.automatic.advice")
            )
        return [Finding(.note, Message("console.checkup.apple-keys"), words, advice: [advice])]
    }

    /// Maximum number of connections tested in one check-up.
    private static let connectionLimit = 10

    /// Keys of connections whose private keys the present master keys decrypt.
    private func openableKeys(in team: TeamID) async throws -> Set<KeyID> {
        try await AppleKeyStore(database, keyRing: server.keyRing).openable(in: team)
    }

    /// Number of connection tests that a check-up counts as; at least one, because it always sends requests to Apple.
    public func connectionTests(in team: TeamID) async throws -> Int {
        let connections = try await AppleConnectionStore(database).list(in: team)
        let openable = try await openableKeys(in: team)
        return max(1, min(connections.count { openable.contains($0.keyID) }, Self.connectionLimit))
    }

    private func check(_ connections: [AppleConnection], of team: TeamID) async throws -> [Finding] {
        let tested = try await AppleConnectionTestStore(database).lastTests(in: team)
        // Connections whose key cannot be decrypted are not tested, so they must not count toward the limit.
        let openable = try await openableKeys(in: team)
        let (testable, sealed) = (
            connections.filter { openable.contains($0.keyID) }, connections.filter { !openable.contains($0.keyID) }
        )
        let choice = LeastRecentlyChecked(of: testable, most: Self.connectionLimit) { tested[$0.appID] }
        var findings = sealed.map { Self.sealed($0.keyID) }
        for connection in choice.things { findings += try await check(connection, of: team) }
        return findings
            + Self.others(
                choice.rest, Message("console.checkup.connections"),
                Message("console.checkup.connections.rest", ["limit": Self.connectionLimit], count: choice.rest))
    }

    private func check(_ connection: AppleConnection, of team: TeamID) async throws -> [Finding] {
        let tests = ConnectionTests(database, server: server, apple: apple)
        let app = connection.appID
        guard let report = try await tests.test(app, in: team),
            let registration = try await tests.registration(of: app, in: team)
        else { return [Self.sealed(connection.keyID)] }
        let verdicts = ConnectionVerdict.all(
            of: report.tests, servicesID: connection.servicesID, isSimulator: apple.isSimulator)
        let found = verdicts.map { verdict in
            Finding(
                verdict.outcome == .accepted ? .good : .wrong,
                Message("console.checkup.client", ["client": verdict.tests.map(\.clientID.rawValue)]), verdict.meaning,
                advice: verdict.advice)
        }
        let others = Self.others(
            report.unasked, Message("console.checkup.bundle-ids", ["app": app.rawValue]),
            Message("console.apple.test.unasked", count: report.unasked))
        return found + others + [await checkSheet(registration, of: team)]
    }

    private static func sealed(_ key: KeyID) -> Finding {
        Finding(
            .wrong, Message("console.checkup.key", ["key": key.rawValue]), Message("console.checkup.key.sealed"),
            advice: [Message("console.checkup.key.sealed.advice")])
    }

    private func checkSheet(_ registration: AppleRegistration, of team: TeamID) async -> Finding {
        let url = server.returnURL(of: .apple, in: team)
        let client = registration.servicesID.rawValue
        let subject = Message("console.checkup.sheet", ["client": client])
        switch await apple.sheet(of: registration, returnURL: url) {
        case .opens: return Finding(.good, subject, Message("console.checkup.sheet.opens", ["url": url]))
        case .refuses(let status):
            return Finding(
                .wrong, subject, Message("console.checkup.sheet.refuses", ["status": String(status)]),
                advice: [
                    apple.isSimulator
                        ? Message("console.checkup.sheet.refuses.simulator", ["url": url, "client": client])
                        : Message("console.checkup.sheet.refuses.advice", ["url": url, "client": client])
                ])
        case .unknown(let reason):
            return Finding(.note, subject, Message("console.checkup.sheet.unknown", ["reason": reason]))
        }
    }

    /// Findings for the return URL and the notification endpoint, requested at their public URLs.
    func checkAddresses(of team: TeamID) async throws -> [Finding] {
        [await checkCallback(of: team), try await checkNotifications(of: team)]
    }

    private func checkCallback(of team: TeamID) async -> Finding {
        let subject = Message("console.checkup.return-url")
        let url = server.returnURL(of: .apple, in: team)
        let discovery = "\(server.base(of: team))/.well-known/openid-configuration"
        let answer = await surroundings.answer(ClientRequest("GET", discovery, addresses: .any))
        if let trouble = trouble(subject, url, answer, wanted: 200...200) { return trouble }
        return surroundings.isLoopback
            ? loopback(subject, url)
            : Finding(.good, subject, Message("console.checkup.return-url.answers", ["url": url]))
    }

    /// Only proves that the endpoint exists, unless Apple has used it: it rejects requests that Apple did not sign.
    private func checkNotifications(of team: TeamID) async throws -> Finding {
        let subject = Message("console.checkup.notifications")
        let url = server.notificationURL(of: .apple, in: team)
        let request = ClientRequest(
            "POST", url, fields: [("Content-Type", "application/json")], body: Array(#"{"payload":""}"#.utf8),
            addresses: .any)
        let answer = await surroundings.answer(request)
        if let trouble = trouble(subject, url, answer, wanted: 200...403) { return trouble }
        if let last = try await UpstreamNotificationReceiptStore(database).last(from: .apple, in: team) {
            let words = Message("console.checkup.notifications.came", ["url": url, "at": last])
            return Finding(.good, subject, words)
        }
        guard !surroundings.isLoopback else { return loopback(subject, url) }
        return Finding(
            .note, subject, Message("console.checkup.notifications.answers", ["url": url]),
            advice: [Message("console.checkup.notifications.answers.advice", ["url": url])])
    }

    /// The finding for an address that is unreachable or returns another status than `wanted`; nil when it works.
    private func trouble(
        _ subject: Message, _ url: String, _ answer: Result<ClientResponse, ClientFailure>, wanted: ClosedRange<Int>
    ) -> Finding? {
        let reason: Message
        switch answer {
        case .success(let answer) where wanted.contains(answer.status) && answer.status / 100 != 3: return nil
        case .success(let answer): reason = .status(answer.status)
        case .failure(let failure): reason = failure.words
        }
        return .silent(subject, url, reason)
    }

    private func loopback(_ subject: Message, _ url: String) -> Finding {
        Finding(.note, subject, Message("console.checkup.address.loopback", ["url": url]))
    }

    /// Maximum number of concurrent checks.
    private static let width = 8
    /// Maximum number of hosts of return URLs, and of domains.
    private static let hostLimit = 40
    /// Maximum number of email sources; each has up to six records.
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
                Message("console.checkup.return-host", ["host": host]), of: host, answer)
        }
        let rest = origins.count - wanted.count
        return found
            + Self.others(
                rest, Message("console.checkup.return-hosts"),
                Message("console.checkup.return-hosts.rest", ["limit": Self.hostLimit], count: rest))
    }

    /// Scheme, host and port of an https return URL; nil for the others, which are on loopback addresses.
    private static func origin(_ url: ReturnURL) -> String? {
        guard url.text.hasPrefix("https://") else { return nil }
        let rest = url.text.dropFirst("https://".count)
        return "https://\(rest.prefix { $0 != "/" && $0 != "?" })"
    }

    func checkDomains(of team: Team, _ actor: Actor, _ origin: Origin) async throws -> [Finding] {
        let isNeeded = team.settings.requiresVerifiedDomains
        let all = try await DomainStore(database).all(in: team.id)
        let choice = LeastRecentlyChecked(of: all, most: Self.hostLimit) { $0.checkedAt }
        let found = try await concurrently(choice.things) { domain in
            guard let checked = try await checks.check(domain, in: team.id, by: actor, from: origin),
                let finding = checked.finding, let advice = checked.advice(isNeeded: isNeeded)
            else { return nil }
            let subject = Message("console.checkup.domain", ["domain": domain.name.text])
            if finding.kind == .served { return Finding(.good, subject, finding.headline) }
            if checked.isOwnMachine, !isNeeded { return Finding(.note, subject, advice) }
            return Finding(isNeeded ? .wrong : .note, subject, finding.headline, advice: [advice])
        }
        return found
            + Self.others(
                choice.rest, Message("console.checkup.domains"),
                Message("console.checkup.domains.rest", ["limit": Self.hostLimit], count: choice.rest))
    }

    /// Looks up the records of each source in the DNS.
    func checkMail(of team: TeamID) async throws -> [Finding] {
        let all = try await EmailSourceStore(database).list(in: team)
        let choice = LeastRecentlyChecked(of: all, most: Self.sourceLimit) { $0.checkedAt }
        let found = try await concurrently(choice.things) { known in
            guard let source = try await checks.check(known, in: team) else { return nil }
            let subject = Message("console.checkup.mail", ["source": source.source.text])
            return switch source.state {
            case .ok: Finding(.good, subject, Message("console.checkup.mail.ok"))
            case .pending: Finding(.note, subject, Message("console.checkup.mail.pending"))
            // Nothing bounces that would not bounce with the right records: no relay runs yet.
            case .missing, .wrong:
                Finding(
                    .note, subject, Message("console.checkup.mail.wrong"),
                    advice: source.records.filter { $0.state == .missing || $0.state == .wrong }.map { $0.repair })
            }
        }
        return found
            + Self.others(
                choice.rest, Message("console.checkup.mails"),
                Message("console.checkup.mails.rest", ["limit": Self.sourceLimit], count: choice.rest))
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

    /// Unused, old and incomplete objects, and client secrets that expire soon.
    ///
    /// Omits unverified domains, because `checkDomains` reports them.
    func checkUse(of team: TeamID) async throws -> [Finding] {
        let found = try await TeamAttentionStore(database).find(team, at: server.clock()).filter {
            $0.kind != .domainUnverified
        }
        let endsSomething = found.contains { [.secretEnds, .secretEnded].contains($0.kind) }
        return found.map(\.finding) + (endsSomething ? [] : [Self.nothingEnds])
    }

    private static var nothingEnds: Finding {
        Finding(.good, Message("console.checkup.ends"), Message("console.checkup.ends.nothing"))
    }
}

extension TeamAttention {
    fileprivate var finding: Finding {
        switch (kind, since) {
        case (.secretEnds, let end?):
            Finding(
                .note, Message("console.checkup.secret", ["client": subject]),
                Message("console.checkup.secret.ends", ["at": end]), advice: [Message("console.checkup.secret.advice")])
        case (.secretEnded, let end?):
            Finding(
                .wrong, Message("console.checkup.secret", ["client": subject]),
                Message("console.checkup.secret.ended", ["at": end]), advice: [Message("console.checkup.secret.advice")]
            )
        default: Finding(.note, subject, Message(in: "console.attention", kind.rawValue))
        }
    }
}

extension MailRecord {
    /// The text to publish, or where to find it.
    fileprivate var repair: Message {
        guard let advice else { return Message("console.checkup.mail.look", ["name": name]) }
        return Message("console.checkup.mail.advice", ["name": name, "text": advice])
    }
}
