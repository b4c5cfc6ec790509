import Bytes
import Testing

@testable import pippin

extension WholeProduct {
    /// Security case V42: every address of the product, and the worst that fits into a request to it.
    ///
    /// The addresses come from the route table itself. What is counted is the CPU of the server's loop, beside that of an
    /// ordinary request in the same run, and never the clock.
    @Suite struct `What one request can cost` {
        @Test func `V42: is bounded at every address that takes a body, whatever stands in it`() async throws {
            try await withWalk { walk in
                let meter = try Meter(walk)
                for pattern in walk.patterns("POST") {
                    let before = try walk.fingerprint()
                    try walk.renew(forInteraction: pattern)
                    let limit = bodyLimit(of: pattern)
                    for path in try walk.paths(pattern) {
                        try fill(path, of: walk, meter, atMost: limit)
                        try send(to: path, of: walk, meter, atMost: limit)
                    }
                    // What was changed is made good, so that the next address has something to work on.
                    if try walk.fingerprint() != before { try walk.product.restore() }
                }
                try expectAllReached("POST", by: walk)
                #expect(meter.count > 2000)
                #expect(meter.dearest.cost > 0, "nothing was measured")
            }
        }

        /// The octets that an address takes; a longer body is refused by its length alone.
        private func bodyLimit(of pattern: String) -> Int {
            pattern == "/t/:team/auth/notifications/apple" ? 16 << 10 : 64 << 10
        }

        /// Every field of the form carries something bad, and each kind of badness has the most room once.
        private func fill(_ path: String, of walk: PageTour, _ meter: Meter, atMost limit: Int) throws {
            let fields = try walk.fields(of: path).filter { $0.name != "csrf" }
            let open = fields.filter { $0.name != "version" }.map(\.name)
            guard !open.isEmpty else { return }
            // What stands around it takes a little.
            let octets = limit - 6000
            for (turn, kind) in WorstInput.pieces.enumerated() {
                let long = open[turn % open.count]
                func form(_ octets: Int) -> [UInt8] {
                    walk.body(
                        fields.enumerated().map { index, field in
                            let room = field.name == long ? octets * 3 / 4 : octets / 4 / open.count
                            let other = WorstInput.pieces[(turn + index) % WorstInput.pieces.count]
                            // Every second time the others are as the page shows them: some forms are refused at the first one.
                            let isKept = field.name == "version" || field.name != long && turn % 2 == 0
                            let piece = field.name == long ? kind.piece : other.piece
                            let value =
                                isKept
                                ? Array(PercentCoding.encode(field.value).utf8) : WorstInput.coded(piece, atMost: room)
                            return (name: field.name, value: value)
                        })
                }
                let (whole, half) = (form(octets), form(octets / 2))
                try meter.measure(
                    "POST \(path) with \(kind.name) in \(long)", octets: octets, half: { walk.post(path, half) },
                    { walk.post(path, whole) })
            }
        }

        /// Bodies that are odd as a whole.
        private func send(to path: String, of walk: PageTour, _ meter: Meter, atMost limit: Int) throws {
            for (kind, type, body) in WorstInput.bodies(octets: limit - 1000) {
                let token = type.hasSuffix("urlencoded") ? walk.body([]) + [UInt8(ascii: "&")] : []
                try meter.measure("POST \(path) with \(kind)", octets: body.count) {
                    walk.post(path, token + body, type: type)
                }
            }
        }

        @Test func `V42: is bounded at every page, whatever stands in its query and its head`() async throws {
            try await withWalk { walk in
                let meter = try Meter(walk)
                for (number, pattern) in walk.patterns("GET").enumerated() {
                    try walk.renew(forInteraction: pattern)
                    for path in try walk.paths(pattern) { try ask(path, number, of: walk, meter) }
                }
                try expectAllReached("GET", by: walk)
                #expect(meter.count > 800)
            }
        }

        private func ask(_ path: String, _ number: Int, of walk: PageTour, _ meter: Meter) throws {
            for query in WorstInput.queries(turn: number) {
                try meter.measure("GET \(path)?\(query.prefix(8))", octets: query.utf8.count) {
                    walk.get("\(path)?\(query)")
                }
            }
            for heads in WorstInput.heads {
                let names = heads.map(\.name).joined(separator: ", ")
                try meter.measure("GET \(path) with \(names)", octets: 12_000) { walk.get(path, adding: heads) }
            }
        }

        /// An address that no request has met fails the test, such as one whose path matches another.
        private func expectAllReached(_ method: String, by walk: PageTour) throws {
            let missed = Set(walk.patterns(method).map { "\(method) \($0)" }).subtracting(walk.product.log.reached)
            #expect(missed.isEmpty, "\(missed.sorted())")
            #expect(walk.patterns(method).count > 40)
        }
    }
}
