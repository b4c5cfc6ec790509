import Core
public import Federation
public import HTTP
public import Platform
import Registry

/// Check-up of what all teams share: requests to Apple, the clock, the public URL, mail to relay addresses.
public struct InstallationCheckup: Sendable {
    /// Allowed clock difference in seconds; beyond it Apple rejects client secrets, and Pippin rejects Apple's tokens.
    private static let tolerance = 30

    private let apple: AppleProvider
    private let surroundings: CheckupEnvironment
    private let mail: MailServerCheck
    private let certificateFile: CertificateFile?
    private let lacksProxy: Bool
    private let outgoingProxy: String?

    /// - Parameters:
    ///   - apple: the provider of the client's loop.
    ///   - client: a client for addresses of this installation.
    ///   - mail: the check of the mail server.
    ///   - certificateFile: the certificate of this installation, if it serves TLS itself.
    ///   - lacksProxy: whether requests arrive through a reverse proxy that is not configured.
    ///   - outgoingProxy: URL of the proxy that calls to other servers take, without user and password.
    public init(
        _ server: ServerContext, apple: AppleProvider, client: HTTPClient, mail: MailServerCheck,
        certificateFile: CertificateFile? = nil, lacksProxy: Bool = false, outgoingProxy: String? = nil
    ) {
        self.apple = apple
        self.mail = mail
        self.certificateFile = certificateFile
        self.lacksProxy = lacksProxy
        self.outgoingProxy = outgoingProxy
        surroundings = CheckupEnvironment(server: server, client: client)
    }

    /// Reader of the findings.
    public enum Reader: Sendable {
        /// The operator of the machine, who also sees its files and options.
        case `operator`
        /// Members of a team, who see only what is visible on the network.
        case team
    }

    /// - Parameter needsApple: whether there is a connection to Apple; without one, no response from Apple is a note.
    public func run(needsApple: Bool, for reader: Reader) async -> [Finding] {
        let own = reader == .operator ? proxy + wayOut + ownCertificate + [await mail.finding()] : []
        return await checkApple(isNeeded: needsApple) + (await checkWayIn()) + own + [relay]
    }

    private var ownCertificate: [Finding] {
        certificateFile.map { [$0.finding(at: surroundings.server.clock())] } ?? []
    }

    /// Empty unless a reverse proxy is used but not configured.
    private var proxy: [Finding] {
        guard lacksProxy else { return [] }
        return [
            Finding(
                .wrong, Message("console.checkup.proxy"), Message("console.checkup.proxy.not-named"),
                advice: [Message("console.checkup.proxy.not-named.advice")])
        ]
    }

    /// Empty unless calls take a proxy.
    private var wayOut: [Finding] {
        outgoingProxy.map { proxy in
            let used = Message("console.checkup.outgoing-proxy.used", ["proxy": proxy])
            return [Finding(.note, Message("console.checkup.outgoing-proxy"), used)]
        } ?? []
    }

    private func checkApple(isNeeded: Bool) async -> [Finding] {
        let publication: ApplePublication
        do throws(UpstreamFailure) { publication = try await apple.publication() } catch {
            return [
                Finding(
                    isNeeded ? .wrong : .note, Message("console.checkup.apple"),
                    Message("console.checkup.apple.silent", ["reason": error.reason]),
                    advice: [Message("console.checkup.apple.silent.advice")])
            ]
        }
        return [documents(publication), clock(publication)]
    }

    private func documents(_ publication: ApplePublication) -> Finding {
        let subject = Message("console.checkup.apple")
        if publication.discovery != apple.pinnedDiscovery {
            return Finding(
                .note, subject, Message("console.checkup.apple.drift"),
                advice: [Message("console.checkup.apple.drift.advice")])
        }
        return Finding(
            publication.keys.isEmpty ? .wrong : .good, subject,
            apple.isSimulator
                ? Message("console.checkup.apple.answers.simulator", count: publication.keys.count)
                : Message("console.checkup.apple.answers", count: publication.keys.count))
    }

    func clock(_ publication: ApplePublication) -> Finding {
        let subject = Message("console.checkup.clock")
        guard let theirs = publication.clock else {
            return Finding(.note, subject, Message("console.checkup.clock.unknown"))
        }
        let ahead = surroundings.server.clock().seconds - theirs.seconds
        if ahead.magnitude <= Self.tolerance { return Finding(.good, subject, Message("console.checkup.clock.right")) }
        return Finding(
            .wrong, subject,
            ahead > 0
                ? Message("console.checkup.clock.ahead", count: ahead)
                : Message("console.checkup.clock.behind", count: -ahead),
            advice: [Message("console.checkup.clock.advice")])
    }

    /// Reports an untrusted certificate only once, because it also is the reason why there is no response.
    private func checkWayIn() async -> [Finding] {
        let url = surroundings.server.publicURL
        let answer = await surroundings.answer(ClientRequest("GET", "\(url)/healthz", addresses: .any))
        let certificate = CertificateCheck(at: surroundings.server.clock()).finding(
            Message("console.checkup.certificate"), of: surroundings.host, answer)
        if case .failure(.untrusted) = answer { return [certificate] }
        guard surroundings.isEncrypted, case .success = answer else { return [wayIn(url, answer)] }
        return [wayIn(url, answer), certificate]
    }

    private func wayIn(_ url: String, _ answer: Result<ClientResponse, ClientFailure>) -> Finding {
        let subject = Message("console.checkup.way-in")
        switch answer {
        case .success(let response) where response.status == 200:
            return surroundings.isLoopback
                ? Finding(.note, subject, Message("console.checkup.way-in.loopback", ["url": url]))
                : Finding(.good, subject, Message("console.checkup.way-in.answers", ["url": url]))
        case .success(let response): return .silent(subject, url, .status(response.status))
        case .failure(let failure): return .silent(subject, url, failure.words)
        }
    }

    /// Reported as long as no relay runs.
    private var relay: Finding {
        Finding(
            .note, Message("console.checkup.relay"),
            Message("console.checkup.relay.absent", ["domain": surroundings.server.relayDomain]))
    }
}

extension Message {
    /// A response with an unexpected status.
    static func status(_ status: Int) -> Message {
        Message("console.checkup.reason.status", ["status": String(status)])
    }
}

/// Selection for a check-up when a team has more objects of a kind than it checks: those checked longest ago.
struct LeastRecentlyChecked<Thing> {
    /// The selected objects, in their original order.
    let things: [Thing]
    /// Number of objects not selected.
    let rest: Int

    /// - Parameter lookedAt: the time of an object's last check; nil, for never, is selected first.
    init(of all: [Thing], most: Int, lookedAt: (Thing) -> Timestamp?) {
        let moments = all.map { lookedAt($0) ?? Timestamp(microseconds: .min) }
        let order = all.indices.sorted { (moments[$0], $0) < (moments[$1], $1) }
        things = order.prefix(most).sorted().map { all[$0] }
        rest = max(0, all.count - most)
    }
}

/// The server and the HTTP client that a check-up uses, with properties of the public URL.
struct CheckupEnvironment: Sendable {
    /// Validity that ends within this time is reported.
    static let horizon = Duration.seconds(30 * 86_400)

    let server: ServerContext
    let client: HTTPClient

    /// The response to a request, with the server's certificate.
    func answer(_ request: ClientRequest) async -> Result<ClientResponse, ClientFailure> {
        var request = request
        request.asksForCertificate = true
        do throws(ClientFailure) { return .success(try await client.send(request)) } catch { return .failure(error) }
    }

    /// Whether the public URL is on a loopback address, which only this machine reaches.
    var isLoopback: Bool { HostPolicy.isLoopback(server.publicHost) }

    var isEncrypted: Bool { server.publicURL.hasPrefix("https://") }

    /// The public URL's host, with its port.
    var host: String { server.publicURL.split(separator: "/").dropFirst().first.map(String.init) ?? "" }
}
