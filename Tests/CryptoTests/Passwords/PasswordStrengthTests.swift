import Crypto
import TestSupport
import Testing

@Suite struct `The strength of a password` {
    @Test(arguments: [
        "password", "12345678", "qwerty123", "P@ssw0rd1", "iloveyou1", "aaaaaaaaaaaaaaaa", "1q2w3e4r5t6z",
        "Passwort123!", "schatz123", "sonnenschein99", "qwertzuiop1", "Fußball1", "gfhjkm12", "пароль12", "йцукенгш",
        "Привет123", "любовь12345", "woaini1314", "5201314a", "我爱你1314", "rahasia123", "sayangku1", "administrator",
        "20.12.1987", "correcthorse",
    ]) func `S23: is too little where a list of common ones begins`(password: String) {
        #expect(PasswordStrength(of: password) < .enough)
    }

    @Test(arguments: [
        "correct horse battery staple", "fifty-six-degrees-north", "Kaffee-und-Kuchen-um-vier", "xK9#mP2$",
        "четыре зелёных чайника", "三只青蛙在月亮上喝茶", "kucing makan awan biru", "Gartenzaun-Mondschein-7",
    ]) func `S23: is enough where a few words have nothing to do with each other`(password: String) {
        #expect(PasswordStrength(of: password) >= .enough)
    }

    @Test func `S23: is less for whoever knows the words`() {
        let password = "lovelace-orchard"
        let known = PasswordStrength(of: password, knowing: ["lovelace", "orchard"])

        #expect(PasswordStrength(of: password) >= .enough)
        #expect(known < .enough)
    }

    @Test func `V42: looks at a bounded part, whatever it is given`() {
        for text in ["", "\0", "\0\0\0", "a\0bcdefgh-ijklm", String(repeating: "👩‍👩‍👧‍👦", count: 5000)] {
            #expect(PasswordStrength(of: text).bits >= 0)
        }
        let run = String(repeating: "1", count: 100_000)
        #expect(PasswordStrength(of: run) == PasswordStrength(of: String(repeating: "1", count: 8)))
        let words = (0..<64).map { "word\($0)" }.joined(separator: " ")
        #expect(PasswordStrength(of: words) == PasswordStrength(of: String(words.prefix(32))))
    }

    /// What is made to cost much, and the part of it that is looked at.
    static let costly: [(password: String, part: String)] =
        ["12", "54", "*9", "20"].map { (String(repeating: $0, count: 100), String(repeating: $0, count: 8)) }
        + [
            "x" + String(repeating: "12", count: 100),
            String(repeating: "12", count: 15) + "x" + String(repeating: "12", count: 100),
            "156565623535656523032365652014121563523.23.3565198_525032361x35",
            "589*9*954565989868545459*9*95454595459*9*9*9*",
        ].map { ($0, String($0.prefix(32))) }

    @Test func `V42: is that of a short part of what is made to cost much`() {
        for (password, part) in Self.costly {
            #expect(PasswordStrength(of: password) == PasswordStrength(of: part), "\(password)")
        }
    }

    @Test func `is the same on every thread`() async throws {
        let strengths = try await race(64) { _ in PasswordStrength(of: "fifty-six-degrees-north", knowing: ["north"]) }
        #expect(strengths.allSatisfy { $0 == PasswordStrength(of: "fifty-six-degrees-north", knowing: ["north"]) })
    }
}
