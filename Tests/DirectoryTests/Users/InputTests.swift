import Core
import Directory
import Platform
import Testing

@Suite struct `Email addresses` {
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

    @Test(arguments: [
        "taro..yamada@docomo.ne.jp", "hanako.@docomo.ne.jp", "\"a b\"@acme.example", "ö@acme.example", "ada",
    ]) func `that a provider signed are as it gave them, and those that nothing can be mailed to say so`(text: String) {
        #expect(EmailAddress(signed: text)?.rawValue == text && EmailAddress(signed: text)?.isMailable == false)
        #expect(EmailAddress(signed: "ada@acme.example")?.isMailable == true)
        #expect(EmailAddress(signed: "") == nil && EmailAddress(signed: String(repeating: "a", count: 255)) == nil)
    }

    @Test(arguments: [
        ("ada@münchen.example", "ada@xn--mnchen-3ya.example"), ("ada@MÜNCHEN.example", "ada@xn--mnchen-3ya.example"),
        ("ada@m\u{200B}ünchen.example", "ada@xn--mnchen-3ya.example"),
        ("ada@ｍünchen.example", "ada@xn--mnchen-3ya.example"),
        (" ada@mu\u{308}nchen.example\u{A0}", "ada@xn--mnchen-3ya.example"),
        ("Ada@xn--mnchen-3ya.Example", "Ada@xn--mnchen-3ya.Example"), ("ada@例え。テスト", "ada@xn--r8jz45g.xn--zckzah"),
        ("ada@straße.example", "ada@xn--strae-oqa.example"),
        ("ada@пример.испытание", "ada@xn--e1afmkfd.xn--80akhbyknj4f"),
    ]) func `have a domain in ASCII, however it is typed`(typed: String, stored: String) {
        #expect(EmailAddress(typed: typed)?.rawValue == stored)
        #expect(LoginName(rawValue: typed)?.rawValue == stored.lowercased())
    }

    @Test(arguments: [
        "ädä@acme.example", "ada@mün chen.example", "ada@münchen", "ada@.münchen.example", "ada@ü@example.org",
        "ada@\u{301}a.example", "ada@☃.example", "münchen.example",
        "ada@" + String(repeating: "ü", count: 64) + ".example",
        "ada@" + String(repeating: "ü.", count: 600) + "example",
    ]) func `whose domain can be none are refused`(typed: String) {
        #expect(EmailAddress(typed: typed) == nil && LoginName(rawValue: typed) == nil)
    }

    @Test(arguments: [
        ("ada@xn--mnchen-3ya.example", "ada@münchen.example"), ("ada@XN--MNCHEN-3YA.example", "ada@münchen.example"),
        ("ada@acme.example", "ada@acme.example"), ("ada@xn--r8jz45g.xn--zckzah", "ada@例え.テスト"),
        // One that mixes scripts, one that is none, and one that has another A-label.
        ("ada@xn--cme-7cd.example", "ada@xn--cme-7cd.example"), ("ada@xn--a.example", "ada@xn--a.example"),
        ("ada@xn--Mnchen-3yA.example", "ada@münchen.example"), ("ada", "ada"),
        // Cyrillic letters that look like Latin ones, beside a domain of Latin letters and one of their own.
        ("ada@xn--80ak6aa92e.com", "ada@xn--80ak6aa92e.com"),
        ("ada@xn--e1afmkfd.xn--80akhbyknj4f", "ada@пример.испытание"),
    ]) func `are shown with the letters of their domain`(stored: String, shown: String) {
        #expect(EmailAddress(signed: stored)?.shown == shown)
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

    @Test(arguments: ["", "   ", "a b", "a\nda", "ada\0", "ädä", String(repeating: "a", count: 255)])
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
        ("Ada\0", "Ada"), ("Ada\nBen", "Ada Ben"), ("Ada\u{7F}", "Ada"), ("A\u{85}da", "A da"),
        ("Ada\u{2028}Ben", "Ada Ben"), ("\u{202E}adA", "adA"), ("\u{2066}Ada\u{2069}", "Ada"), ("Zoë\u{202C}", "Zoë"),
        ("\u{200E}Ada", "Ada"), ("Mül\tler", "Mül ler"), ("می‌خواهم", "می‌خواهم"), ("\u{202C}", ""),
    ]) func `lose what would break or turn a line`(part: String, cleaned: String) {
        for name in [PersonName(given: part, family: part), PersonName(sentOnce: part, part)] {
            #expect(name?.given.isExactly(cleaned) == true && name?.family.isExactly(cleaned) == true)
        }
    }

    @Test func `are refused when too long, and cut when they come once`() {
        let long = String(repeating: "é", count: 99) + " longer"
        #expect(PersonName(given: long, family: "") == nil && PersonName(given: "", family: long) == nil)
        #expect(PersonName(sentOnce: long, "").given == String(repeating: "é", count: 99))
        #expect(PersonName(sentOnce: "\u{202A}" + String(repeating: "a", count: 101), "").given.utf8.count == 100)
    }

    @Test(arguments: [
        ("小明", "王", "王小明"), ("花子", "山田", "山田花子"), ("はな子", "佐々木", "佐々木はな子"), ("민준", "김", "김민준"),
        ("葛\u{E0100}", "王", "王葛\u{E0100}"), ("𠮷", "王", "王𠮷"), ("小明", "", "小明"), ("", "王", "王"),
        ("Xiaoming", "王", "Xiaoming 王"), ("小明", "Wang", "小明 Wang"), ("Ferenc", "Liszt", "Ferenc Liszt"),
        ("Дмитрий", "Шостакович", "Дмитрий Шостакович"), ("小 明", "王", "小 明 王"),
    ]) func `are in the order of their script`(given: String, family: String, full: String) {
        #expect(PersonName(given: given, family: family)?.full == full)
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
