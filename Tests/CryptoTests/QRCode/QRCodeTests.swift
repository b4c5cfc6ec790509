import Crypto
import Testing

@Suite struct `A QR code` {
    private static let uri =
        "otpauth://totp/Acme:ada%40acme.example?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Acme"
        + "&algorithm=SHA1&digits=6&period=30"

    @Test func `has its three corners, and nothing in the fourth`() throws {
        let code = try #require(QRCode(Self.uri))
        let corner = ["#######", "#.....#", "#.###.#", "#.###.#", "#.###.#", "#.....#", "#######"]

        func square(_ column: Int, _ row: Int) -> [String] {
            (0..<7).map { down in (0..<7).map { code.isDark(column + $0, row + down) ? "#" : "." }.joined() }
        }
        #expect((code.size - 17).isMultiple(of: 4))
        #expect(square(0, 0) == corner)
        #expect(square(code.size - 7, 0) == corner)
        #expect(square(0, code.size - 7) == corner)
        #expect(square(code.size - 7, code.size - 7) != corner)
    }

    @Test func `is drawn as one path of its dark modules`() throws {
        let code = try #require(QRCode("PIPPIN"))
        let dark = (0..<code.size).flatMap { row in (0..<code.size).map { code.isDark($0, row) } }
        let runs = code.svgPath.split(separator: "M").compactMap { run in
            run.split(separator: "h").dropFirst().first?.split(separator: "v").first.flatMap { Int($0) }
        }

        #expect(code.svgPath.hasPrefix("M4 4h7v1h-7z"))
        #expect(runs.reduce(0, +) == dark.count(where: \.self))
        #expect(code.outerSize == code.size + 8)
    }

    @Test func `differs for different texts and is the same for one`() throws {
        #expect(QRCode("ada")?.svgPath == QRCode("ada")?.svgPath)
        #expect(QRCode("ada")?.svgPath != QRCode("ben")?.svgPath)
    }

    @Test(arguments: ["", "a\u{0}b", String(repeating: "x", count: 1025)]) func `of nothing or too much is none`(
        text: String
    ) { #expect(QRCode(text) == nil) }
}
