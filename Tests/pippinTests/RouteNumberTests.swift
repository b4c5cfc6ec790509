import Core
import Simulator
import TestNumbers
import Testing

@testable import pippin

extension WholeProduct {
    /// Security case V39: every address of the product, with numbers at the ends of what a number can be.
    @Suite struct `A number from outside` {
        @Test func `V39: is taken or refused in every field of every form, and never ends in a 5xx`() async throws {
            try await withWalk { try NumberWalk($0, .some).forms() }
        }

        @Test func `V39: is taken or refused in every query and at every place of a path`() async throws {
            try await withWalk { try NumberWalk($0, .some).queries() }
        }

        @Test func `V39: is taken or refused in every field of a head`() async throws {
            try await withWalk { try NumberWalk($0, .some).heads() }
        }

        @Test func `V39: of a client secret that is signed well is refused as invalid_client at every address of apps`()
            async throws
        { try await withWalk { try NumberWalk($0, .some).secrets() } }
    }

    /// The same with every number at every place.
    @Suite struct RouteNumberLongTests {
        @Test func `V39: every number is taken or refused in every field of every form`() async throws {
            try await withWalk { try NumberWalk($0, .all).forms() }
        }

        @Test func `V39: every number is taken or refused in every query and at every place of a path`() async throws {
            try await withWalk { try NumberWalk($0, .all).queries() }
        }

        @Test func `V39: every number is taken or refused in every field of a head`() async throws {
            try await withWalk { try NumberWalk($0, .all).heads() }
        }
    }
}

/// Puts numbers wherever the product may read one.
private struct NumberWalk {
    private let walk: PageTour
    private let extent: Extent

    init(_ walk: PageTour, _ extent: Extent) { (self.walk, self.extent) = (walk, extent) }

    /// Of the spellings that readers of single forms and tokens are held against, one of each kind.
    private static let numbers =
        BoundaryNumber.worst + [
            "18446744073709551616", "-0", "NaN", "1.5", "\u{0663}", "\u{00B2}", " 1 ",
            String(repeating: "0", count: 40) + "1", String(repeating: "9", count: 400),
        ]

    func forms() throws {
        var filled = 0
        for (row, pattern) in walk.patterns("POST").enumerated() {
            let before = try walk.fingerprint()
            try walk.renew(forInteraction: pattern)
            for path in try walk.paths(pattern) where try fill(path, row) { filled += 1 }
            if try walk.fingerprint() != before { try walk.product.restore() }
        }
        #expect(walk.patterns("POST").count > 40)
        // A form without fields would be a button, and asked once.
        #expect(filled > 60, "\(filled) forms were filled")
    }

    /// All fields at once, then each field alone with some, the others as the page shows them.
    ///
    /// - Returns: whether the form has fields.
    private func fill(_ path: String, _ row: Int) throws -> Bool {
        let fields = try walk.fields(of: path).map { (name: $0.name, value: coded($0.value)) }
        func expect(_ changed: [(name: String, value: [UInt8])], _ what: String) {
            _ = try? walk.product.forgetCounts()
            let answer = walk.post(path, walk.body(changed))
            #expect(isGood(answer), "POST \(path) \(what): \(answer.status) \(walk.product.log.takeCauses())")
        }
        // A button alone: what it begins asks servers of others, and reads no field.
        let isButton = path.hasPrefix("/console") && !walk.isShown(path)
        let numbers = isButton ? [Self.numbers[0]] : extent.cells(Self.numbers, ofRow: row)
        for number in numbers {
            expect(fields.map { (name: $0.name, value: coded(number)) }, "all = \(number.prefix(30))")
        }
        guard !isButton else { return false }
        for (index, field) in fields.enumerated() where field.name != "csrf" {
            // Some forms are refused at the first field, so each has its turn alone.
            for turn in 0..<(extent == .all ? 3 : 1) {
                let number = Self.numbers[(3 * index + row + turn) % Self.numbers.count]
                var changed = fields
                changed[index].value = coded(number)
                expect(changed, "\(field.name) = \(number.prefix(30))")
            }
        }
        return !fields.isEmpty
    }

    private static let names = [
        "q", "next", "after", "before", "from", "to", "page", "limit", "size", "days", "actor", "ip", "action",
        "outcome", "cause", "person", "reference", "state", "max_age", "client_id", "redirect_uri", "response_type",
        "nonce", "ui_locales", "login_hint", "kind", "team", "target", "type",
    ]

    func queries() throws {
        for (row, pattern) in walk.patterns("GET").enumerated() {
            try walk.renew(forInteraction: pattern)
            let path = try walk.path(pattern)
            for number in extent.cells(Self.numbers, ofRow: row) {
                let query = Self.names.map { "\($0)=\(PercentCoding.encode(String(number.prefix(100))))" }
                let answer = walk.get("\(path)?\(query.joined(separator: "&"))")
                #expect(isGood(answer), "GET \(path)?…=\(number.prefix(30)): \(answer.status)")
            }
            for name in pattern.split(separator: "/").filter({ $0.hasPrefix(":") }).map({ $0.dropFirst() }) {
                for number in extent.cells(Self.numbers, ofRow: row) where !number.isEmpty {
                    let place = try walk.path(pattern, replacing: String(name), by: PercentCoding.encode(number))
                    let answer = walk.get(place)
                    // It names nothing there is: a page says so, or who has followed a link signs in first.
                    let isRight = (400..<500).contains(answer.status) || (300..<400).contains(answer.status)
                    #expect(isRight, "GET \(place.prefix(150)): \(answer.status)")
                }
            }
        }
        cursors()
    }

    /// The cursors that pages themselves make, with a number in the place of theirs.
    private func cursors() {
        for (row, list) in ["users", "audit", "traces", "notifications", "apple-tokens", "keys"].enumerated() {
            for number in extent.cells(Self.numbers, ofRow: row) {
                let base64 = Base64URL.encode(Array(number.utf8))
                for cursor in [number, "\(number)-x", "x-\(number)", "\(number).\(number)", base64] {
                    for name in ["after", "before"] {
                        let path = "/console/\(Product.team)/\(list)?\(name)=\(PercentCoding.encode(cursor))"
                        let answer = walk.get(path)
                        #expect(answer.status == 200 || (400..<500).contains(answer.status), "GET \(path)")
                    }
                }
            }
        }
    }

    /// Fields of a head in which somebody counts; `#` stands for the number.
    private static let heads = [
        ("Range", "bytes=#-#"), ("If-Range", "#"), ("If-Modified-Since", "#"), ("If-None-Match", "#"),
        ("Max-Forwards", "#"), ("Age", "#"), ("DNT", "#"), ("Accept", "text/html;q=#"),
        ("Accept-Language", "de;q=#, en;q=#"), ("Accept-Encoding", "gzip;q=#"), ("X-Forwarded-For", "10.1.1.1:#"),
        ("X-Forwarded-For", "#.#.#.#"), ("X-Forwarded-For", "[::#]:#"), ("Forwarded", "for=#"),
        ("Keep-Alive", "timeout=#, max=#"), ("Cookie", "pippin-DEMOTEAM01=#; pippin-browser=#"),
        ("Host", "localhost:#"), ("Authorization", "Bearer #"), ("Authorization", "Bearer #.#.#"),
        ("Content-Type", "a/b;q=#"), ("Expect", "#"), ("Content-Length", "#"), ("Upgrade-Insecure-Requests", "#"),
    ]

    func heads() throws {
        let base = "/t/\(Product.team)"
        let paths = ["\(base)/auth/keys", "\(base)/account", "/console/\(Product.team)/users", "/healthz"]
        for (row, (name, form)) in Self.heads.enumerated() {
            // One octet that is announced and does not come is waited for, as it should be.
            let isLength = name == "Content-Length"
            let numbers = Self.numbers.filter { !isLength || Int($0.filter { $0 != " " }) != 1 }
            for number in extent.cells(numbers, ofRow: row) {
                for path in paths {
                    let answer = walk.get(path, [(name, form.replacing("#", with: number))])
                    // What is longer than it says is not waited for: the connection ends.
                    if isLength { walk.wire.close() }
                    let isRight = isGood(answer) || isLength && answer.status == 0
                    #expect(isRight, "\(name): \(number): \(answer.status)")
                }
            }
        }
        #expect(walk.get("/healthz").status == 200)
    }

    func secrets() throws {
        let paths = [
            "token", "revoke", "introspect", "sign-out", "credential-state", "delete-account", "usermigrationinfo",
        ]
        let claims = paths.flatMap { path in ["iat", "exp", "nbf"].map { (path, $0) } }
        for (path, claim) in claims.map({ ("/t/\(Product.team)/auth/\($0)", $1) }) {
            for number: Int64 in [.min, .min + 1, -1, 253_402_300_800, .max - 1, .max] {
                let form = [
                    (name: "client_id", value: walk.product.demo.registration.clientID),
                    (name: "client_secret", value: try walk.secret { $0[claim] = .integer(number) }),
                    (name: "grant_type", value: "authorization_code"), (name: "code", value: "c0"),
                    (name: "token", value: "r0"), (name: "sub", value: "x"), (name: "target", value: "DEMOTEAM01"),
                ]
                let answer = walk.post(path, Array(FormCoding.encode(form).utf8))
                #expect(answer.status == 400, "\(path) \(claim) = \(number)")
                #expect(answer.text.contains("invalid_client"), "\(path) \(claim) = \(number): \(answer.text)")
            }
        }
    }

    /// 503 says when to come again.
    private func isGood(_ answer: Wire.Answer) -> Bool {
        (200..<500).contains(answer.status) || answer.status == 503 && answer["retry-after"] != nil
    }

    private func coded(_ text: String) -> [UInt8] { Array(PercentCoding.encode(text).utf8) }
}
