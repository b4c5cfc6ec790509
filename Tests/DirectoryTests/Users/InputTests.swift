import Directory
import Domain
import Testing

@Suite struct `E-mail addresses` {
    @Test(arguments: [
        "ada@acme.example", "a@b.co", "Ada.Lovelace+apple@mail.acme.example", "o'hara_{x}@acme-1.example",
        String(repeating: "a", count: 64) + "@acme.example",
    ])
    func `within RFC 5321 are taken as they are typed`(text: String) {
        #expect(EmailAddress(rawValue: text)?.rawValue == text)
    }

    @Test(arguments: [
        "", "@", "ada", "ada@", "@acme.example", "ada@acme", "ada@@acme.example", "a@b@c.example",
        ".ada@acme.example", "ada.@acme.example", "a..b@acme.example", "ada@acme..example",
        "ada@.acme.example",
        "ada@-acme.example", "ada@acme-.example", "ada@[192.0.2.1]", "\"ada\"@acme.example",
        "a da@acme.example",
        "ada@acme.example\n", "ada\0@acme.example", "ada@acme.example,ben@acme.example", "ädä@acme.example",
        "ada@ácme.example", "<ada@acme.example>",
        String(repeating: "a", count: 65) + "@acme.example",
        "ada@" + String(repeating: "a", count: 64) + ".example",
        "ada@" + Array(repeating: String(repeating: "a", count: 60), count: 5).joined(separator: "."),
    ])
    func `of any other shape are refused`(text: String) {
        #expect(EmailAddress(rawValue: text) == nil)
    }
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
    func `that nobody can have are refused`(text: String) {
        #expect(LoginName(rawValue: text) == nil)
    }
}

@Suite struct `Names of people` {
    @Test func `lose the white space around their parts`() {
        let name = PersonName(given: " Ada\u{00A0}", family: "\u{2003}King Lovelace ")

        #expect(name?.given == "Ada")
        #expect(name?.family == "King Lovelace")
        #expect(name?.full == "Ada King Lovelace")
    }

    @Test(arguments: ["", "陈", "Renée", "محمد", "O'Hara-Núñez", String(repeating: "é", count: 100)])
    func `of every script are taken`(part: String) {
        #expect(PersonName(given: part, family: part)?.family == part)
    }

    @Test(arguments: [
        "Ada\0", "Ada\nBen", "Ada\u{7F}", "A\u{85}da", "Ada\u{2028}Ben", "\u{202E}adA", "\u{2066}Ada",
        String(repeating: "a", count: 101),
    ])
    func `that would break or turn a line are refused`(part: String) {
        #expect(PersonName(given: part, family: "") == nil)
        #expect(PersonName(given: "", family: part) == nil)
    }
}

@Suite struct `New passwords` {
    private let email = EmailAddress(rawValue: "ada@acme.example")

    private func problem(_ text: String) -> NewPassword.Problem? {
        do throws(NewPassword.Problem) {
            _ = try NewPassword(text, email: email, login: LoginName(rawValue: "countess"))
            return nil
        } catch {
            return error
        }
    }

    @Test func `have 8 to 200 characters`() {
        #expect(problem("1234567") == .tooShort)
        #expect(problem("12345678") == nil)
        #expect(problem(String(repeating: "𝄞", count: 200)) == nil)
        #expect(problem(String(repeating: "a", count: 201)) == .tooLong)
    }

    @Test func `are neither the e-mail address nor the login name`() {
        #expect(problem("ADA@acme.example") == .isEmail)
        #expect(problem("Countess") == .isEmail)
    }

    @Test func `do not show in a description`() throws {
        let password = try NewPassword("correct horse", email: nil)

        #expect(!"\(password)".contains("horse"))
        #expect(!String(reflecting: password).contains("horse"))
    }
}
