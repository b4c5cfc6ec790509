import Core
import Directory
import Testing

@testable import Platform
@testable import TestTeams

@Suite(.site) struct `A new password on one's own page` {
    @Test func `is told by mail, in the person's language`() throws {
        let browser = try site.signedIn()
        let form = try browser.get(Browser.account + "/password").form(to: "/password")
        var current = People.password
        for (language, subject, words) in [
            ("en", "Your Acme password was changed", "was changed on your account page"),
            ("de", "Passwort", "wurde auf Ihrer Kontoseite geändert"), ("ru", "Acme", "изменён на её странице"),
            ("zh-Hans", "Acme", "已在账户页面上更改"), ("id", "Acme", "diubah di halaman akun Anda"),
        ] {
            func change(from current: String, to new: String) throws -> Int {
                let values = [("csrf", form.value(of: "csrf") ?? ""), ("current", current), ("new", new)]
                return try browser.post(form.action, values, ["Accept-Language: \(language)"]).status
            }
            let count = try site.mails().count
            #expect(try change(from: "wrong", to: "a wholly other secret") == 422)
            #expect(try site.mails().count == count)
            let new = "a secret in \(language)"
            #expect(try change(from: current, to: new) == 303)
            current = new

            let mail = try #require(try site.mails().last)
            #expect(try site.mails().count == count + 1 && mail.recipient.rawValue == "ada@acme.example")
            guard case .plain(let title, let paragraphs) = mail.message else { throw TestFailure("\(mail)") }
            #expect(title.contains(subject) && paragraphs.first?.contains(words) == true, "\(language)")
        }
    }
}
