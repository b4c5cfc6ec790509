import EventLoop
import Testing

@testable import pippin

/// Holds answers against what is promised for all, and in the long tests what they cost the server's loop against an ordinary
/// request of the same length here and now, so that neither a slow machine nor a busy one changes the verdict.
final class Meter {
    private let walk: PageTour
    private let product: Product
    /// Asks whether the server lives while each request is under way.
    private let health: Wire
    /// Nanoseconds of the loop's own for the dearest ordinary request: a form as long as there may be, which is refused by a
    /// page that shows it again; nil where nothing is counted.
    private let yard: Int?
    private(set) var count = 0

    /// How many times an ordinary request the worst one may cost; what grows with the square of 60,000 costs thousands.
    private static let most = 25
    /// Statements of one request: what it costs PostgreSQL.
    private static let mostStatements = 60

    init(_ walk: PageTour, isCounting: Bool) throws {
        self.walk = walk
        product = walk.product
        health = Wire(port: product.port)
        guard isCounting else {
            yard = nil
            return
        }
        let plain = [UInt8](repeating: UInt8(ascii: "x"), count: 60_000)
        var costs: [Int] = []
        for _ in 0..<7 {
            let body = walk.body([(name: "name", value: plain)])
            let before = product.work
            let answer = walk.post("/console/\(Product.team)/keys", body)
            costs.append(product.work - before)
            #expect(answer.status == 422)
        }
        yard = costs.sorted()[3]
    }

    /// Sends a request and holds its answer against what is promised for all.
    ///
    /// - Parameter half: the same at half its length, to see how the cost grows where there is much of it.
    @discardableResult func measure(
        _ what: String, octets: Int, half: (() -> Wire.Answer)? = nil, _ ask: () -> Wire.Answer
    ) throws -> Wire.Answer {
        count += 1
        let passwords = product.process.pools.passwords
        func askOnce() -> Wire.Answer {
            let hashes = passwords.callCount
            defer { #expect(passwords.callCount - hashes <= 3, "\(what) hashes") }
            return ask()
        }
        try product.forgetCounts()
        let answer = yard.map { weigh(what, half, askOnce, $0) } ?? askOnce()
        judge(answer, what, octets)
        return answer
    }

    /// Asks, more than once where it seems dear, and expects that it costs no more than it may.
    private func weigh(_ what: String, _ half: (() -> Wire.Answer)?, _ ask: () -> Wire.Answer, _ yard: Int)
        -> Wire.Answer
    {
        let statements = product.statementCount
        var (cost, answer) = cost(of: ask)
        var asked = product.statementCount - statements
        // Something else may have fallen into it, such as a job.
        for _ in 0..<3 where cost > Self.most * yard || asked > Self.mostStatements {
            let statements = product.statementCount
            cost = min(cost, self.cost(of: ask).0)
            asked = min(asked, product.statementCount - statements)
        }
        #expect(asked <= Self.mostStatements, "\(what): \(asked) statements")
        let allowed = Self.most * yard
        #expect(cost <= allowed, "\(what): \(cost / 1000) of \(allowed / 1000) µs")
        if let half, cost > 4 * yard {
            let less = (0..<3).map { _ in self.cost(of: half).0 }.min() ?? 0
            let more = (0..<3).map { _ in self.cost(of: ask).0 }.min() ?? 0
            #expect(more < 3 * less, "\(what): \(less / 1000) µs for half of it, \(more / 1000) µs for all")
        }
        return answer
    }

    private func judge(_ answer: Wire.Answer, _ what: String, _ octets: Int) {
        let causes = product.log.takeCauses()
        // 503 says when to come again; what libmicrohttpd has no room for it may close.
        let isTold = answer.status < 500 || answer.status == 503 && answer["retry-after"] != nil
        #expect(isTold, "\(what): \(answer.status) \(causes)")
        // Each octet may stand in a page as a reference of six.
        #expect(answer.body.count <= 6 * octets + 256 << 10, "\(what): an answer of \(answer.body.count) octets")
    }

    private func cost(of ask: () -> Wire.Answer) -> (Int, Wire.Answer) {
        _ = try? product.forgetCounts()
        let question = Array("GET /healthz HTTP/1.1\r\nHost: localhost:\(product.port)\r\n\r\n".utf8)
        var isAsked = false
        walk.wire.meanwhile = { [health] in isAsked = health.send(question) }
        defer { walk.wire.meanwhile = {} }
        let before = product.work
        let answer = ask()
        let cost = product.work - before
        // A kept connection may have ended before.
        let isWell = isAsked && health.read().status == 200 || health.ask(question).status == 200
        #expect(isWell, "/healthz does not answer")
        return (cost, answer)
    }
}
