import Core

/// What costs more than its length where somebody is careless: in fields, bodies, queries and heads.
enum WorstInput {
    /// Texts for a field; each is repeated to a length.
    static let pieces: [(name: String, piece: [UInt8])] =
        [
            ("lines", "-\n"), ("marks out of order", "a\u{301}\u{323}"), ("marks without end", "\u{301}\u{323}"),
            ("flags", "🇩🇪"), ("joined people", "👩\u{200D}"), ("brackets", "[{\"a\":"), ("digits", "9"),
            ("two digits in turn", "12"), ("quotes", "\"&<'"), ("escapes", "%2525"), ("addresses", "a@a.a, "),
            ("tokens", "eyJhbGciOiJFUzI1NiJ9."), ("slashes", "https://a.example/../"), ("wide", "\u{1D7D7}ßİ"),
            ("PEM", "-----BEGIN PUBLIC KEY-----\n"), ("networks", "10.0.0.0/8,"), ("spaces", " "),
            ("names of apps", "com.acme.TimetablesOfAllTraines2."),
        ].map { (name: $0.0, piece: Array($0.1.utf8)) } + [(name: "no UTF-8", piece: [0xFF, 0xC0])]

    /// A piece over and over, never cut through; doubled, since there is much of it.
    static func text(_ piece: [UInt8], octets: Int) -> [UInt8] {
        let count = octets / piece.count
        guard count > 1 else { return count == 1 ? piece : [] }
        let half = text(piece, octets: count / 2 * piece.count)
        return half + half + (count % 2 == 1 ? piece : [])
    }

    /// A piece repeated as a value of a form: only what has a meaning there is escaped.
    static func coded(_ piece: [UInt8], atMost limit: Int) -> [UInt8] {
        let escaped = piece.flatMap { byte in
            switch byte {
            case UInt8(ascii: "&"), UInt8(ascii: "+"), UInt8(ascii: "%"), UInt8(ascii: "="):
                Array("%\(Hex.encode([byte]))".utf8)
            default: [byte]
            }
        }
        return text(escaped, octets: limit)
    }

    /// Bodies that are odd as a whole, with their types.
    static func bodies(octets: Int) -> [(name: String, type: String, body: [UInt8])] {
        let form = "application/x-www-form-urlencoded"
        let long = String(repeating: "x", count: octets / 126 - 10)
        let part = "--x\r\nContent-Disposition: form-data; name=\"logo\"; filename=\"a\"\r\n\r\n\r\n"
        func fill(_ piece: String) -> [UInt8] { text(Array(piece.utf8), octets: octets) }
        func join(_ fields: [String]) -> [UInt8] { Array(fields.joined(separator: "&").utf8) }
        return [
            ("one name repeated", form, join((0..<120).map { _ in "name=\(long)" })),
            ("as many names as there may be", form, join((0..<126).map { "n\($0)=\(long)" })),
            ("thousands of fields", form, fill("a=b&")),
            // For sums of the kind that Java has.
            ("names of one sum", form, join(sameSum.map { "\($0)=\(long)" })),
            ("deep JSON", "application/json", fill("[")), ("wide JSON", "application/json", fill("{\"a\":1,")),
            ("a number of many digits in JSON", "application/json", Array("{\"a\":".utf8) + fill("9")),
            ("members of one name in JSON", "application/json", Array("{".utf8) + fill("\"a\":1,\"b\":2,")),
            ("parts", "multipart/form-data; boundary=x", fill(part)),
            ("boundaries by half", "multipart/form-data; boundary=x", fill("\r\n--")),
        ]
    }

    /// 64 names for which 31 · h + octet gives the same.
    private static let sameSum = (0..<64).map { number in (0..<6).map { number >> $0 & 1 == 0 ? "Aa" : "BB" }.joined() }

    /// Of the filters and ways on that pages have.
    private static let names = [
        "q", "next", "state", "scope", "client_id", "actor", "from", "to", "after", "before", "ui_locales", "page",
        "ip", "action", "outcome", "cause", "person", "nonce", "login_hint", "redirect_uri",
    ]

    /// Each name with a text of another kind, once one way round and once the other; and very many pairs.
    static func queries(turn: Int) -> [String] {
        let several = [turn, turn + pieces.count / 2].map { turn in
            names.enumerated().map { index, name in
                let piece = pieces[(turn + index) % pieces.count].piece
                let text = PercentCoding.encode(String(decoding: Self.text(piece, octets: 90), as: UTF8.self))
                return "\(name)=\(text)"
            }
        }
        return several.map { $0.joined(separator: "&") } + [
            String(repeating: "a=b&", count: 1500), String(repeating: "&", count: 6000),
            "q=" + String(repeating: "9", count: 7000),
        ]
    }

    /// Fields of a head that something reads, several in each request.
    static let heads: [[(name: String, value: String)]] = [
        [
            ("Cookie", "c=\"x=y; "), ("Accept-Language", "de;q=0.5,"), ("Accept", "text/html;q=0.1,"),
            ("User-Agent", "Mozilla/5.0 ("), ("Referer", "https://a.example/?"),
        ],
        [
            ("Cookie", "pippin-DEMOTEAM01=a; "), ("Accept-Encoding", "gzip;q=1,"), ("If-None-Match", "\"a\", W/"),
            ("Range", "bytes=0-0,"), ("X-Forwarded-For", "1.2.3.4, "),
        ],
        [
            ("Cookie", ";"), ("Accept-Language", ","), ("Accept", ";q=1"), ("Authorization", "Bearer a."),
            ("Content-Type", "a/b;c=d;"),
        ], [("X-Forwarded-For", ":,"), ("Origin", "http://a."), ("If-Modified-Since", "Sun, 06 Nov 1994 ")],
        [("Cookie", "a=b; ")].map { name, piece in (name, piece) },
    ].map { heads in
        heads.map { name, piece in
            (name: name, value: String(decoding: text(Array(piece.utf8), octets: 9000 / heads.count), as: UTF8.self))
        }
    }
}
