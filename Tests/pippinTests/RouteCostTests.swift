import Core
import Testing

@testable import pippin

extension WholeProduct {
    /// Security case V42: every address of the product, and the worst that fits into a request to it.
    ///
    /// The addresses come from the route table itself. The long tests ask each for all that is bad, and count the CPU of
    /// the server's loop beside that of an ordinary request in the same run, never the clock.
    @Suite struct `What one request can cost` {
        @Test func `V42: is bounded at every address that takes a body, whatever stands in it`() async throws {
            try await withWalk { try CostWalk($0, .some).postEverywhere() }
        }

        @Test func `V42: is bounded at every page, whatever stands in its query and its head`() async throws {
            try await withWalk { try CostWalk($0, .some).getEverywhere() }
        }
    }

    /// The same in full, with what each request costs.
    @Suite struct RouteCostLongTests {
        @Test func `V42: every address takes every kind of body for no more than a body may cost`() async throws {
            try await withWalk { try CostWalk($0, .all).postEverywhere() }
        }

        @Test func `V42: every page takes every kind of query and head for no more than they may cost`() async throws {
            try await withWalk { try CostWalk($0, .all).getEverywhere() }
        }
    }
}

/// Asks every address for the worst.
private struct CostWalk {
    private let walk: PageTour
    private let extent: Extent
    private let meter: Meter
    /// Bodies that are odd as a whole, by the octets that an address takes.
    private let bodies: [Int: [(name: String, type: String, body: [UInt8])]]

    init(_ walk: PageTour, _ extent: Extent) throws {
        (self.walk, self.extent) = (walk, extent)
        bodies = [16 << 10, 64 << 10].reduce(into: [:]) { $0[$1] = WorstInput.bodies(octets: $1 - 1000) }
        meter = try Meter(walk, isCounting: extent == .all)
    }

    func postEverywhere() throws {
        for (row, pattern) in walk.patterns("POST").enumerated() {
            let before = try walk.fingerprint()
            try walk.renew(forInteraction: pattern)
            let limit = bodyLimit(of: pattern)
            for path in try walk.paths(pattern) {
                for turn in extent.cells(try turns(at: path, atMost: limit), ofRow: row) {
                    switch turn {
                    case .form(let number): try fill(number, path, atMost: limit)
                    case .body(let kind, let type, let body): try send(body, type, to: path, with: kind)
                    }
                }
            }
            // What was changed is made good, so that the next address has something to work on.
            if try walk.fingerprint() != before { try walk.product.restore() }
        }
        try expectAllReached("POST")
    }

    func getEverywhere() throws {
        for (row, pattern) in walk.patterns("GET").enumerated() {
            try walk.renew(forInteraction: pattern)
            for path in try walk.paths(pattern) {
                for query in extent.cells(WorstInput.queries(turn: row), ofRow: row) {
                    try meter.measure("GET \(path)?\(query.prefix(8))", octets: query.utf8.count) {
                        walk.get("\(path)?\(query)")
                    }
                }
                for heads in extent.cells(WorstInput.heads, ofRow: row) {
                    let names = heads.map(\.name).joined(separator: ", ")
                    try meter.measure("GET \(path) with \(names)", octets: 12_000) { walk.get(path, adding: heads) }
                }
            }
        }
        try expectAllReached("GET")
    }

    /// What an address is sent: a form whose fields hold a kind of badness, or a body that is odd as a whole.
    private enum Turn {
        case form(Int)
        case body(name: String, type: String, [UInt8])
    }

    private func turns(at path: String, atMost limit: Int) throws -> [Turn] {
        let forms = try open(path).isEmpty ? [] : WorstInput.pieces.indices.map(Turn.form)
        return forms + bodies[limit, default: []].map(Turn.body)
    }

    /// The octets that an address takes; a longer body is refused by its length alone.
    private func bodyLimit(of pattern: String) -> Int { pattern.hasPrefix("/console/") ? 64 << 10 : 16 << 10 }

    private func send(_ body: [UInt8], _ type: String, to path: String, with kind: String) throws {
        let token = type.hasSuffix("urlencoded") ? walk.body([]) + [UInt8(ascii: "&")] : []
        try meter.measure("POST \(path) with \(kind)", octets: body.count) { walk.post(path, token + body, type: type) }
    }

    /// The fields of a form that take what somebody writes.
    private func open(_ path: String) throws -> [String] {
        try walk.fields(of: path).map(\.name).filter { $0 != "csrf" && $0 != "version" }
    }

    /// Every field of the form carries something bad, and each kind of badness has the most room once.
    private func fill(_ turn: Int, _ path: String, atMost limit: Int) throws {
        let fields = try walk.fields(of: path).filter { $0.name != "csrf" }
        let open = try open(path)
        // What stands around it takes a little.
        let octets = limit - 6000
        let (kind, long) = (WorstInput.pieces[turn], open[turn % open.count])
        func form(_ octets: Int) -> [UInt8] {
            walk.body(
                fields.enumerated().map { index, field in
                    let room = field.name == long ? octets * 3 / 4 : octets / 4 / open.count
                    let other = WorstInput.pieces[(turn + index) % WorstInput.pieces.count]
                    // Every second time the others are as the page shows them: some forms are refused at the first one.
                    let isKept = field.name == "version" || field.name != long && turn % 2 == 0
                    let piece = field.name == long ? kind.piece : other.piece
                    let value =
                        isKept ? Array(PercentCoding.encode(field.value).utf8) : WorstInput.coded(piece, atMost: room)
                    return (name: field.name, value: value)
                })
        }
        let (whole, half) = (form(octets), form(octets / 2))
        try meter.measure(
            "POST \(path) with \(kind.name) in \(long)", octets: octets, half: { walk.post(path, half) },
            { walk.post(path, whole) })
    }

    /// An address that no request has met fails the test, such as one whose path matches another.
    private func expectAllReached(_ method: String) throws {
        let patterns = walk.patterns(method)
        let missed = Set(patterns.map { "\(method) \($0)" }).subtracting(walk.product.log.reached)
        #expect(missed.isEmpty, "\(missed.sorted())")
        #expect(patterns.count > 40 && meter.count >= 3 * patterns.count)
    }
}
