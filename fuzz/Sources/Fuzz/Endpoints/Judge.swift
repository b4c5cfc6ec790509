import Glibc

/// Checks each response against the rules for all responses.
final class Judge {
    private let site: Site
    private let folder: String
    private var input: [UInt8] = []
    private var work: [Int] = []
    private var known: Set<String> = []
    /// Whether the users have lost the access that they had at the start.
    var isSpoilt = false

    /// CPU time of the loop's thread for one request, with the fuzzer's instrumentation.
    private static let mostNanoseconds = 1_000_000_000
    private static let longestAnswer = 1 << 20
    /// Maximum size of an error response, in addition to a multiple of the request's size.
    private static let longestRefusal = 96 << 10
    /// Whether findings are stored and the run continues.
    private let goesOn = Environment.value("FUZZ_GO_ON") == "1"

    init(_ site: Site, folder: String) {
        self.site = site
        self.folder = folder
    }

    func begin(_ input: [UInt8], _ message: RawRequest) {
        self.input = input
        work = site.work()
    }

    /// - Parameter message: the request that was sent; nil for a registry file.
    func end(_ answer: Answer, to message: RawRequest?, as person: Person) {
        let cost = zip(site.work(), work).map { $0 - $1 }.max() ?? 0
        let what = message?.line ?? "a registry file"
        note(answer, cost, what)
        if cost > Self.mostNanoseconds { find("cost", "\(cost / 1_000_000) ms of CPU for \(what)") }
        // libmicrohttpd closes connections for which it has no room, and the response to a body rejected half-way may
        // be lost.
        if message?.isOurs == true, answer.status == 0, !site.isAlive {
            find("silence", "no answer to \(what), nor to anything after it")
        }
        if isTrouble(answer) {
            find("status", "\(answer.status) for \(what): \(site.log.takeCauses().joined(separator: " "))")
        }
        let limit =
            answer.status >= 400 ? Self.longestRefusal + (message?.bytes.count ?? input.count) * 6 : Self.longestAnswer
        if answer.body.count > limit { find("length", "\(answer.body.count) octets for \(what)") }
        if person != .operator, shows(Fixtures.mark, answer), !holds(Fixtures.mark, input) {
            find("wall", "another team's text for \(what)")
        }
        for leak in site.log.takeLeaks() { find("secret", "in the log: \(leak)") }
        _ = site.log.takeCauses()
    }

    /// Whether the status is a failure; 503 needs `Retry-After`, and 501 and 505 are libmicrohttpd's own.
    private func isTrouble(_ answer: Answer) -> Bool {
        switch answer.status {
        case 501, 505: false
        case 503: answer.values(of: "retry-after").isEmpty
        default: answer.status >= 500
        }
    }

    private func note(_ answer: Answer, _ cost: Int, _ what: String) {
        unsafe Report.requests += 1
        unsafe Report.statuses[answer.status, default: 0] += 1
        if unsafe cost / 1_000_000 > Report.slowest.milliseconds { unsafe Report.slowest = (cost / 1_000_000, what) }
    }

    private func shows(_ mark: String, _ answer: Answer) -> Bool {
        holds(mark, answer.body) || holds(mark, Array(answer.head.utf8))
    }

    /// Whether the octets contain an ASCII text in upper or lower case.
    private func holds(_ text: String, _ octets: [UInt8]) -> Bool {
        let text = Array(text.utf8)
        guard let first = text.first, octets.count >= text.count else { return false }
        return unsafe octets.withUnsafeBufferPointer { octets in
            for start in 0...(octets.count - text.count) where unsafe octets[start] | 0x20 == first {
                if text.indices.allSatisfy({ unsafe octets[start + $0] | 0x20 == text[$0] }) { return true }
            }
            return false
        }
    }

    /// Ends the run with the input, or stores it and continues.
    private func find(_ kind: String, _ what: String) {
        guard goesOn else { fatalError("\(kind): \(what)") }
        // One finding per kind and address is enough.
        let name = what.prefix { $0 != "?" && $0 != ":" }.filter { !$0.isNumber }
        guard known.insert("\(kind) \(name)").inserted else { return }
        Files.tell("finding \(known.count): \(kind): \(what)\n")
        Files.write(input, to: "\(folder)-finding-\(known.count)-\(kind)")
    }
}
