import Core
import Glibc

/// Endpoints of one kind, with the pages that are crawled for valid requests in addition to the seeds.
enum EndpointGroup: String, CaseIterable {
    /// Endpoints for apps: Apple's, and Pippin's additional ones.
    case tokens
    /// The hosted pages, and the requests that Apple and the simulator send there.
    case hosted
    /// The console of a team, as its owner.
    case console
    /// The operator's console.
    case operating
    /// Registry files, planned without being applied.
    case registry

    /// Users, and the pages at which their crawls start.
    var walks: [(Person, String)] {
        switch self {
        case .tokens, .registry: []
        case .hosted: [(.ada, "/t/DEMOTEAM01/account"), (.nobody, "/demo"), (.nobody, "/apple")]
        case .console: [(.owner, "/console/DEMOTEAM01"), (.owner, "/console")]
        case .operating: [(.operator, "/console")]
        }
    }
}

/// Sends scripts of requests to a server in this process, and checks its responses.
final class Endpoints {
    private let site: Site
    private let judge: Judge
    private let folder: String
    private var values: Values
    private var count = 0
    private let start = ContinuousClock.now

    /// Inputs after which the database is restored, because valid requests change it.
    private static let inputsPerLife = 5000
    /// Maximum number of requests of a script.
    private static let longestScript = 8

    static func target(_ group: EndpointGroup) -> FuzzTarget {
        do {
            let endpoints = try Endpoints(group)
            if group == .registry { return FuzzTarget(take: { endpoints.apply($0) }, mutator: endpoints.mutator([])) }
            let templates = try Crawler(endpoints.site, endpoints.values).walk(group.walks)
            try endpoints.keep(templates)
            return FuzzTarget(take: { endpoints.run($0) }, mutator: endpoints.mutator(templates))
        } catch { fatalError("the server cannot be started: \(error)") }
    }

    private init(_ group: EndpointGroup) throws {
        folder = Environment.value("FUZZ_FOLDER") ?? "."
        site = try Site.start()
        judge = Judge(site, folder: "\(folder)/\(group.rawValue)")
        values = try Values(site)
        Report.begin(site.log)
    }

    /// The committed seeds of the group, and the crawled requests.
    private func mutator(_ walked: [[UInt8]]) -> Mutator {
        let seeds = Environment.value("FUZZ_SEEDS").map(Files.all) ?? []
        return Mutator(templates: walked + seeds)
    }

    /// Stores the crawled requests where libFuzzer reads seeds.
    private func keep(_ templates: [[UInt8]]) throws {
        guard let place = Environment.value("FUZZ_WALKED") else { return }
        for (index, template) in templates.enumerated() { Files.write(template, to: "\(place)/\(index)") }
    }

    /// Sends the requests of a script one after another, as one browser.
    private func run(_ input: [UInt8]) {
        renew()
        let scripts = Script.parse(input).prefix(Self.longestScript)
        var jar = Jar(of: scripts.lazy.compactMap(\.person).first ?? .nobody, at: site)
        var expansion = Expansion(values: values, jar: jar, of: input)
        for request in scripts {
            if let person = request.person, person != jar.person { jar = Jar(of: person, at: site) }
            expansion.jar = jar
            let message = request.message(expanding: &expansion, at: site)
            judge.begin(input, message)
            let answer = site.client.send(message)
            judge.end(answer, to: message, as: jar.person)
            jar.keep(answer)
            expansion.last = answer
        }
        if expansion.hasSpent { values.forget() }
    }

    /// Plans a registry file without applying it.
    private func apply(_ input: [UInt8]) {
        renew()
        judge.begin(input, RawRequest(bytes: input, isOurs: true))
        let problems = site.plan(input)
        judge.end(Answer(status: problems == nil ? 200 : 400, body: problems ?? []), to: nil, as: .nobody)
    }

    private func renew() {
        count += 1
        if count % Self.inputsPerLife == 0 || judge.isSpoilt {
            site.restore()
            judge.isSpoilt = false
            values.forget()
        } else if count % 256 == 0 {
            judge.isSpoilt = !isSound
        }
    }
}

// Whether the users still have the access they had at the start.
extension Endpoints {
    private var isSound: Bool {
        [(Person.owner, "/console/DEMOTEAM01"), (.ada, "/t/DEMOTEAM01/account")].allSatisfy { person, address in
            var expansion = Expansion(values: values, jar: Jar(of: person, at: site), of: [])
            let script = Script(line: Array("GET \(address)".utf8), fields: [], body: [])
            return site.client.send(script.message(expanding: &expansion, at: site)).status == 200
        }
    }
}

/// Statistics of a run, printed at its end.
enum Report {
    // Written on libFuzzer's only thread; read there when it ends.
    nonisolated(unsafe) static var requests = 0
    nonisolated(unsafe) static var statuses: [Int: Int] = [:]
    nonisolated(unsafe) static var slowest: (milliseconds: Int, what: String) = (0, "")
    nonisolated(unsafe) private static var log: LogReader?

    static func begin(_ log: LogReader) {
        unsafe self.log = log
        atexit { Report.tell() }
    }

    private static func tell() {
        guard let log = unsafe log else { return }
        let (reached, known) = log.routes
        let missed = known.subtracting(reached).sorted()
        let kinds = unsafe statuses.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
        var text = unsafe "report: \(requests) requests; \(kinds)\n"
        text += unsafe "report: most CPU \(slowest.milliseconds) ms for \(slowest.what)\n"
        text += "report: routes \(known.count - missed.count) of \(known.count)\n"
        Files.tell(text)
        if let place = Environment.value("FUZZ_MISSED") {
            Files.write(Array((missed.joined(separator: "\n") + "\n").utf8), to: place)
        }
        // Exits without teardown, because other threads still run.
        _exit(0)
    }
}
