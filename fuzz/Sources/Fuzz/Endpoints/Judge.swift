import Glibc

/// Holds each answer against what is promised for all.
final class Judge {
    private let site: Site
    private let folder: String
    private var input: [UInt8] = []
    private var work: [Int] = []
    private var known: Set<String> = []
    /// Whether the people who ask have lost what they had at the start.
    var isSpoilt = false

    /// Of the loop's thread, for one request, with the fuzzer's counters in the code.
    private static let mostNanoseconds = 1_000_000_000
    private static let longestAnswer = 1 << 20
    /// What is refused costs no more than what was sent, and a page to say so.
    private static let longestRefusal = 96 << 10
    /// Findings are kept and the run goes on, where this is set.
    private let goesOn = Environment.value("FUZZ_GO_ON") == "1"

    init(_ site: Site, folder: String) {
        self.site = site
        self.folder = folder
    }

    func begin(_ input: [UInt8], _ message: Message) {
        self.input = input
        work = site.work()
    }

    /// - Parameter message: what was sent; nil where nothing was.
    func end(_ answer: Answer, to message: Message?, as person: Person) {
        let cost = zip(site.work(), work).map { $0 - $1 }.max() ?? 0
        let what = message?.line ?? "a registry file"
        note(answer, cost, what)
        if cost > Self.mostNanoseconds { find("cost", "\(cost / 1_000_000) ms of CPU for \(what)") }
        // What libmicrohttpd has no room for it closes, and of a body that is refused half-way the answer may be lost.
        if message?.isOurs == true, answer.status == 0, !site.isAlive {
            find("silence", "no answer to \(what), nor to anything after it")
        }
        if isTrouble(answer) {
            find("status", "\(answer.status) for \(what): \(site.log.takeCauses().joined(separator: " "))")
        }
        let limit =
            answer.status >= 400
            ? Self.longestRefusal + (message?.bytes.count ?? input.count) * 6 : Self.longestAnswer
        if answer.body.count > limit { find("length", "\(answer.body.count) octets for \(what)") }
        if person != .operator, shows(Planting.mark, answer), !holds(Planting.mark, input) {
            find("wall", "another team's text for \(what)")
        }
        for leak in site.log.takeLeaks() { find("secret", "in the log: \(leak)") }
        _ = site.log.takeCauses()
    }

    /// 503 says when to come again; 501 and 505 are libmicrohttpd's own.
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
        if unsafe cost / 1_000_000 > Report.slowest.milliseconds {
            unsafe Report.slowest = (cost / 1_000_000, what)
        }
    }

    private func shows(_ mark: String, _ answer: Answer) -> Bool {
        holds(mark, answer.body) || holds(mark, Array(answer.head.utf8))
    }

    /// Whether ASCII text lies in octets, in upper case or lower.
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

    /// Ends the run with the input, or keeps it and goes on.
    private func find(_ kind: String, _ what: String) {
        guard goesOn else { fatalError("\(kind): \(what)") }
        // One of a kind and an address is enough.
        let name = what.prefix { $0 != "?" && $0 != ":" }.filter { !$0.isNumber }
        guard known.insert("\(kind) \(name)").inserted else { return }
        Files.tell("finding \(known.count): \(kind): \(what)\n")
        Files.write(input, to: "\(folder)-finding-\(known.count)-\(kind)")
    }
}
