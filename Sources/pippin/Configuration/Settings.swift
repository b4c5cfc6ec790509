import Core
import Crypto
import Glibc
import HTTP
import Platform
import Postgres

/// Settings of an installation, all checked together.
struct Settings: Sendable {
    /// Location of the data.
    enum Storage: Sendable {
        /// An operator's PostgreSQL.
        case url(String)
        /// A private PostgreSQL below the data directory.
        case own
    }

    let host: String
    let address: IPAddress
    let port: UInt16
    let publicURL: PublicURL
    let storage: Storage
    var dataDirectory: String
    var masterKeyFile: String?
    let resources: Resources
    let tls: (certificate: String, key: String)?
    let trustedProxies: TrustedProxies
    /// Zero for no limit; nil for the default share of all connections.
    let connectionsPerAddress: Int?
    /// Time for which SIGTERM leaves everything served, while `/readyz` has load balancers look elsewhere.
    let drain: Duration
    /// How long a kept connection may be idle; nil for the usual times.
    let keepAlive: Duration?
    /// Seconds for which browsers are told to use TLS alone; nil for the usual time.
    let hsts: Int?
    /// Seconds without a sign of life after which a worker is ended; 0 for never.
    let watchdog: Int
    /// Event loops that serve.
    let loops: Int
    /// Connections to the database in all; nil for the usual number for each loop.
    let databaseConnections: Int?
    let relayDomain: String
    let mail: MailSender.Route
    /// Token that authorizes requests for `/metrics`.
    let metricsToken: String?
    /// User to which a server started as root changes; nil for the user of the private PostgreSQL, or else `nobody`.
    let user: String?
    let isDemo: Bool
    /// Whether the Apple simulator replaces Apple.
    let simulatesApple: Bool
    let watchesTemplates: Bool
    /// Whether `serve` brings the database to this version.
    let migrates: Bool
    /// Name servers for the checks of mail records, as `address:port`; empty for the system's.
    let dnsServers: [String]
    /// Proxy for calls to other machines.
    let outgoingProxy: OutgoingProxy?
    /// Whether requests for sandbox teams may go to this machine.
    let allowsLoopback: Bool
    let logLevel: Log.Level
    /// Numbers in place of the usual ones, by the names of rate limits.
    let limits: [String: Int]

    /// Nil if an option is invalid; `options` contains all problems.
    init?(_ options: inout Options) {
        let listen = Self.listen(&options)
        let tls = Self.tls(&options)
        let publicURL = Self.publicURL(&options, listen: listen, isTLS: tls != nil)
        let resources = Self.resources(&options)
        storage = Self.connection(&options).map(Storage.url) ?? .own
        dataDirectory = options.value("data") ?? ".pippin"
        masterKeyFile = options.argument("master-key")
        trustedProxies = Self.trustedProxies(&options)
        connectionsPerAddress = Self.number(&options, "connections-per-address", 0...1_000_000)
        let drain = Self.number(&options, "drain", 0...3600)
        keepAlive = Self.number(&options, "keep-alive", 1...3600).map { .seconds($0) }
        hsts = Self.number(&options, "hsts", 0...63_072_000)
        let watchdog = Self.number(&options, "watchdog", 0...3600)
        // A worker that ends writes its last lines without signs of life.
        if let watchdog, (1..<5).contains(watchdog) { options.complain("--watchdog is 0, or at least 5 seconds") }
        loops = Self.number(&options, "loops", 1...1024) ?? Machine.cores
        databaseConnections = Self.number(&options, "database-connections", Databases.fewest(of: loops)...80_000)
        dnsServers = Self.dnsServers(&options)
        outgoingProxy = Self.outgoingProxy(&options)
        logLevel = Self.logLevel(&options)
        limits = Self.limits(&options)
        let relayDomain = options.value("relay-domain")
        let mail = Self.mail(&options, publicURL)
        metricsToken = Environment.value("PIPPIN_METRICS_TOKEN")
        user = options.value("user")
        isDemo = options.flag("demo")
        simulatesApple = options.flag("simulate-apple")
        watchesTemplates = options.flag("watch-templates")
        migrates = !options.flag("no-migrate")
        let allowsLoopback = options.flag("allow-loopback")
        self.tls = tls
        guard let listen, let publicURL, let resources, let mail, options.problems.isEmpty else { return nil }
        (host, address, port) = listen
        self.publicURL = publicURL
        // No load balancer asks for what runs at a terminal or for this machine alone.
        self.watchdog = watchdog ?? 30
        self.drain = .seconds(drain ?? (isatty(0) == 1 || publicURL.isLoopback ? 0 : 5))
        self.resources = resources
        self.mail = mail
        self.allowsLoopback = allowsLoopback || publicURL.isLoopback
        self.relayDomain = relayDomain ?? "relay.\(publicURL.host)"
        // Both are checked, because a loopback name in the public URL does not limit access to the port.
        let isApart = publicURL.isLoopback && address.isLoopback
        let rule = "is for loopback only, in --public-url and --listen"
        if isDemo, !isApart { options.complain("--demo \(rule): its people have known passwords") }
        if simulatesApple, !isApart {
            options.complain("--simulate-apple \(rule): there all people can sign in as any user")
        }
        // Apps on this machine have no certificate, and their return URLs are http.
        let isPlain = !publicURL.isSecure && tls == nil
        for (name, isOn) in [("--demo", isDemo), ("--simulate-apple", simulatesApple)] where isOn && !isPlain {
            options.complain("\(name) is for plain http: leave out --tls-cert, and https in --public-url")
        }
        guard options.problems.isEmpty else { return nil }
    }

    private static func listen(_ options: inout Options) -> (String, IPAddress, UInt16)? {
        let text = options.value("listen") ?? "localhost:8080"
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let host = parts.dropLast().joined(separator: ":")
        let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        guard parts.count >= 2, let port = Port.read(parts[parts.count - 1]),
            let address = IPAddress(bare == "localhost" ? "127.0.0.1" : bare)
        else {
            options.complain("--listen \(text) is not ADDRESS:PORT, such as 127.0.0.1:8080 or [::]:443")
            return nil
        }
        return (bare, address, port)
    }

    private static func publicURL(
        _ options: inout Options, listen: (host: String, address: IPAddress, port: UInt16)?, isTLS: Bool
    ) -> PublicURL? {
        guard let text = options.value("public-url") else {
            guard let listen else { return nil }
            guard listen.address.isLoopback,
                let url = PublicURL("\(isTLS ? "https" : "http")://localhost:\(listen.port)")
            else {
                options.complain("--public-url is needed when --listen is not loopback")
                return nil
            }
            return url
        }
        guard let url = PublicURL(text) else {
            options.complain(
                "--public-url \(text) is not an origin: https://HOST, or http:// on loopback, without a path")
            return nil
        }
        return url
    }

    private static func tls(_ options: inout Options) -> (certificate: String, key: String)? {
        let certificate = options.value("tls-cert")
        let key = options.value("tls-key")
        if let certificate, let key { return (certificate, key) }
        if certificate != nil || key != nil { options.complain("--tls-cert and --tls-key go together") }
        return nil
    }

    private static func resources(_ options: inout Options) -> Resources? {
        let chosen = options.value("resources")
        guard let resources = Resources.find(chosen) else {
            let place = chosen.map { "in \($0)" } ?? "beside the binary or in the checkout"
            options.complain("no templates, texts, public files and migrations \(place); say --resources DIR")
            return nil
        }
        return resources
    }

    /// Connection string of the operator's database; nil if there is none, or one that cannot be used.
    private static func connection(_ options: inout Options) -> String? {
        guard let text = database(&options) else { return nil }
        guard let problem = DatabaseServers.problem(of: text) else { return text }
        options.complain("--database \(problem)")
        return nil
    }

    /// Connection string of the operator's database, in which user and password of a URL are percent-encoded for libpq.
    private static func database(_ options: inout Options) -> String? {
        guard let text = options.value("database") ?? Environment.value("PIPPIN_DATABASE_URL") else { return nil }
        guard let scheme = ["postgresql://", "postgres://"].first(where: { text.hasPrefix($0) }) else { return text }
        // The text is not repeated, because it may contain a password.
        guard let (userInfo, rest) = URLCredentials.split(text.dropFirst(scheme.count), where: isDatabase) else {
            options.complain("--database is not \(scheme)USER:PASSWORD@HOST:PORT/DATABASE, perhaps with ?NAME=VALUE")
            return nil
        }
        // Without a colon it is a user alone.
        guard let userInfo, userInfo.contains(":") else { return text }
        let credentials = URLCredentials(userInfo)
        if credentials == nil { options.complain("--database has \(escape)") }
        return credentials.map { scheme + $0.encoded + rest }
    }

    /// Whether the text is hosts, each perhaps with a port, then perhaps a database and parameters, each with a value.
    private static func isDatabase(_ text: Substring) -> Bool {
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let place = parts[0].split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let hosts = place[0].split(separator: ",", omittingEmptySubsequences: false)
        return !parts[0].contains("@")
            && hosts.allSatisfy { host in
                let port = host.hasSuffix("]") ? nil : host.lastIndex(of: ":").map { host[$0...].dropFirst() }
                return !host.contains("=") && port?.allSatisfy { $0.isASCII && $0.isNumber } != false
            } && (parts.count == 1 || parts[1].split(separator: "&").allSatisfy { $0.contains("=") })
    }

    /// What keeps the credentials of a URL from being read, if it has some.
    private static let escape = "a user or password with a % that begins no escape: write it as %25"

    /// The problem of an option whose URL cannot be read, which does not repeat it, because it may contain a password.
    private static func problem(_ option: String, _ url: String, form: String) -> String {
        let userInfo = URLCredentials.split(url[...]).credentials
        let hasBareEscape = userInfo.map { $0.contains("%") && PercentCoding.decode($0.utf8) == nil } == true
        return hasBareEscape ? "\(option) has \(escape)" : "\(option) is not \(form)"
    }

    private static func trustedProxies(_ options: inout Options) -> TrustedProxies {
        guard let text = options.value("trusted-proxy") else { return TrustedProxies() }
        var blocks: [AddressBlock] = []
        for part in text.split(separator: ",") {
            if let block = AddressBlock(String(part)) {
                blocks.append(block)
            } else {
                options.complain("--trusted-proxy \(part) is not an address or CIDR block")
            }
        }
        return TrustedProxies(blocks)
    }

    private static func number(_ options: inout Options, _ name: String, _ range: ClosedRange<Int>) -> Int? {
        guard let text = options.value(name) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            options.complain("--\(name) \(text) is not a number from \(range.lowerBound) to \(range.upperBound)")
            return nil
        }
        return number
    }

    private static func dnsServers(_ options: inout Options) -> [String] {
        guard let text = options.value("dns-server") else { return [] }
        return text.split(separator: ",").map { part in
            let server = String(part)
            let isAddress = IPAddress(server) != nil
            let (host, port) =
                server.lastIndex(of: ":").map { (String(server[..<$0]), String(server[$0...].dropFirst())) } ?? (
                    server, ""
                )
            if !isAddress, IPAddress(host) == nil || Port.read(port[...]) == nil {
                options.complain("--dns-server \(server) is not ADDRESS or ADDRESS:PORT")
            }
            return server
        }
    }

    private static func outgoingProxy(_ options: inout Options) -> OutgoingProxy? {
        guard let url = options.value("outgoing-proxy") else { return nil }
        let proxy = OutgoingProxy(url)
        if proxy == nil {
            let form = "http://, perhaps USER:PASSWORD@, then HOST:PORT"
            options.complain(problem("--outgoing-proxy", url, form: form))
        }
        return proxy
    }

    private static func limits(_ options: inout Options) -> [String: Int] {
        let names = RateLimit.all.filter(\.isAdjustable).map(\.name)
        var limits: [String: Int] = [:]
        for part in (options.value("limits") ?? "").split(separator: ",") {
            let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
            if pair.count != 2 || !names.contains(pair[0]) {
                options.complain("--limits \(part) sets none of \(names.joined(separator: ", "))")
            } else if let number = Int(pair[1]), (1...1_000_000).contains(number) {
                if limits.updateValue(number, forKey: pair[0]) != nil {
                    options.complain("--limits sets \(pair[0]) twice")
                }
            } else {
                options.complain("--limits \(part) is not a number from 1 to 1,000,000")
            }
        }
        return limits
    }

    private static func logLevel(_ options: inout Options) -> Log.Level {
        guard let text = options.value("log-level") else { return .info }
        guard let level = Log.Level.allCases.first(where: { $0.name == text }) else {
            options.complain("--log-level is debug, info, warning or error, not \(text)")
            return .info
        }
        return level
    }
}

extension Settings {
    /// Route of outgoing mail; nil if an option is invalid, which `options` reports.
    static func mail(_ options: inout Options, _ publicURL: PublicURL?) -> MailSender.Route? {
        let url = options.value("smtp")
        let authority = authority(&options)
        let server = url.flatMap { SMTPServer($0, authority: authority) }
        if let url, server == nil {
            let form = "smtp:// or smtps://, perhaps USER:PASSWORD@, then HOST and perhaps :PORT"
            options.complain(problem("--smtp", url, form: form))
        }
        if authority != nil, url == nil { options.complain("--smtp-ca goes with --smtp") }
        let from = options.value("mail-from")
        let address = from.map { EmailAddress(typed: $0) } ?? publicURL.flatMap(defaultSender)
        guard let publicURL else { return nil }
        guard let address else {
            options.complain(
                from.map { "--mail-from \($0) is not an email address" }
                    ?? "--mail-from is needed when the public URL's host is no name for mail")
            return nil
        }
        return MailSender.Route(server: server, sender: address, localName: publicURL.host)
    }

    /// The certificates that the mail server's is checked against; nil for the system's.
    private static func authority(_ options: inout Options) -> String? {
        guard let file = options.value("smtp-ca") else { return nil }
        let text = TextFile.read(file)
        if text.flatMap(Certificate.init(pem:)) == nil {
            options.complain("--smtp-ca \(file) holds no certificate in PEM")
        }
        return text
    }

    /// The default sender, with a subdomain if the host alone, such as `localhost`, is not a mail domain.
    private static func defaultSender(_ publicURL: PublicURL) -> EmailAddress? {
        EmailAddress(rawValue: "no-reply@\(publicURL.host)")
            ?? EmailAddress(rawValue: "no-reply@pippin.\(publicURL.host)")
    }
}

// The proxy in front of an installation that listens on loopback only.
extension Settings {
    /// Whether users can connect only through a proxy that is not configured, so that all count as one address.
    var lacksTrustedProxy: Bool { address.isLoopback && !publicURL.isLoopback && trustedProxies.isEmpty }

    /// Logs a warning at the start of a worker if the proxy is not configured.
    func warnOfMissingProxy(_ log: Log) {
        guard lacksTrustedProxy else { return }
        log(
            .warning, "proxy.undeclared", ("address", address.description), ("public-url", publicURL.text),
            ("cause", "all users count as one address; name the proxy with --trusted-proxy"))
    }
}
