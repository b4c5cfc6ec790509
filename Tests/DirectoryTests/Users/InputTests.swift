import Directory
import Domain
import Testing

@Suite struct `E-mail addresses` {
    @Test(arguments: [
        "ada@acme.example", "a@b.co", "Ada.Lovelace+apple@mail.acme.example", "o'hara_{x}@acme-1.example",
        String(repeating: "a", count: 64) + "@acme.example",
    ]) func `within RFC 5321 are taken as they are typed`(text: String) {
        #expect(EmailAddress(rawValue: text)?.rawValue == text)
    }

    @Test(arguments: [
        "", "@", "ada", "ada@", "@acme.example", "ada@acme", "ada@@acme.example", "a@b@c.example", ".ada@acme.example",
        "ada.@acme.example", "a..b@acme.example", "ada@acme..example", "ada@.acme.example", "ada@-acme.example",
        "ada@acme-.example", "ada@[192.0.2.1]", "\"ada\"@acme.example", "a da@acme.example", "ada@acme.example\n",
        "ada\0@acme.example", "ada@acme.example,ben@acme.example", "ädä@acme.example", "ada@ácme.example",
        "<ada@acme.example>", String(repeating: "a", count: 65) + "@acme.example",
        "ada@" + String(repeating: "a", count: 64) + ".example",
        "ada@" + Array(repeating: String(repeating: "a", count: 60), count: 5).joined(separator: "."),
    ]) func `of any other shape are refused`(text: String) { #expect(EmailAddress(rawValue: text) == nil) }
}

@Suite struct `Login names` {
    @Test func `lose their case and the spaces around them`() {
        #expect(LoginName(rawValue: "  Ada@Acme.EXAMPLE ")?.rawValue == "ada@acme.example")
    }

    @Test func `are the lower-cased address by default`() throws {
        let email = try #require(EmailAddress(rawValue: "Ada@Acme.example"))

        #expect(NewUser(name: .none, email: email).login?.rawValue == "ada@acme.example")
    }

    @Test(arguments: ["", "   ", "a b", "ada\n", "ada\0", "ädä", String(repeating: "a", count: 255)])
    func `that nobody can have are refused`(text: String) { #expect(LoginName(rawValue: text) == nil) }
}

@Suite struct `Names of people` {
    @Test func `lose the white space around their parts`() {
        let name = PersonName(given: " Ada\u{00A0}", family: "\u{2003}King Lovelace ")

        #expect(name?.given == "Ada")
        #expect(name?.family == "King Lovelace")
        #expect(name?.full == "Ada King Lovelace")
    }

    @Test(arguments: ["", "陈", "Renée", "محمد", "O'Hara-Núñez", String(repeating: "é", count: 100)])
    func `of every script are taken`(part: String) { #expect(PersonName(given: part, family: part)?.family == part) }

    @Test(arguments: [
        "Ada\0", "Ada\nBen", "Ada\u{7F}", "A\u{85}da", "Ada\u{2028}Ben", "\u{202E}adA", "\u{2066}Ada",
        String(repeating: "a", count: 101),
    ]) func `that would break or turn a line are refused`(part: String) {
        #expect(PersonName(given: part, family: "") == nil)
        #expect(PersonName(given: "", family: part) == nil)
    }
}

@Suite struct `New passwords` {
    private let email = EmailAddress(rawValue: "ada.king@acme.example")
    private let team = TeamID(rawValue: "ACMETEAM01")

    private func problem(_ text: String, in team: TeamID?) -> NewPassword.Problem? {
        let rule = PasswordRule(
            in: team, email: email, login: LoginName(rawValue: "countess"),
            name: PersonName(given: "Augusta", family: "Lovelace") ?? .none, around: ["Green Orchard", "Shop & Co"])
        do throws(NewPassword.Problem) {
            _ = try NewPassword(text, by: rule)
            return nil
        } catch { return error }
    }

    @Test func `S23: have 8 to 200 characters, and 12 at least for the console`() {
        #expect(problem("xK9#mP2", in: team) == .tooShort(8))
        #expect(problem("xK9#mP2$", in: team) == nil)
        #expect(problem("xK9#mP2$vB4", in: .system) == .tooShort(12))
        #expect(problem("xK9#mP2$vB4!", in: .system) == nil)
        #expect(problem(String(repeating: "𝄞", count: 201), in: team) == .tooLong)
        let long = (0..<50).map { String(UnicodeScalar(UInt8(33 + $0))) }.joined() + "zebra teapot cloud"
        #expect(problem(long, in: team) == nil)
    }

    @Test(arguments: ["12345678", "password", "Sommer2025!", "qwertzuiop", "passwort123"])
    func `S23: are none of those that everybody uses`(text: String) { #expect(problem(text, in: team) == .common) }

    @Test(arguments: [
        "ADA.KING@acme.example", "countess-countess", "Augusta-Lovelace", "lovelace.augusta.1815", "green orchard 2026",
        "Lovelace-Orchard", "augustaking-acme-2026",
    ]) func `S23: are not made of names and addresses around them`(text: String) {
        #expect(problem(text, in: team) == .personal)
    }

    @Test func `S23: may hold a name among other words`() {
        #expect(problem("lovelace zebra teapot cloud", in: team) == nil)
    }

    @Test func `do not show in a description`() throws {
        let password = try NewPassword("correct horse", by: PasswordRule(in: team, email: nil))

        #expect(!"\(password)".contains("horse"))
        #expect(!String(reflecting: password).contains("horse"))
    }
}
