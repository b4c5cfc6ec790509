import Bytes
import Directory
import Domain
import EventLoop
import Testing

@testable import Hosted
@testable import Mail
@testable import TestTeams

@Suite(.site) struct `A new password on one's own page` {
    private static let right = [("current", People.password), ("new", "a wholly other secret")]

    @Test(arguments: [
        ("en", "Your Acme password was changed", "was changed on your account page"),
        ("de", "Passwort", "wurde auf Ihrer Kontoseite geändert"), ("ru", "Acme", "изменён на её странице"),
        ("zh-Hans", "Acme", "已在账户页面上更改"), ("id", "Acme", "diubah di halaman akun Anda"),
    ]) func `is told by mail, in the person's language`(language: String, subject: String, words: String) throws {
        let browser = site.browser()
        try browser.openOwnPage()
        let form = try browser.get(Browser.account + "/password").form(to: "/password")
        let csrf = try #require(form.value(of: "csrf"))
        let fields = ["Accept-Language: \(language)"]
        #expect(try browser.post(form.action, [("csrf", csrf), ("current", "wrong")], fields).status == 422)
        #expect(try site.mails().isEmpty)

        #expect(try browser.post(form.action, [("csrf", csrf)] + Self.right, fields).status == 303)

        let mail = try #require(try site.mails().last)
        #expect(mail.recipient.rawValue == "ada@acme.example")
        guard case .plain(let title, let paragraphs) = mail.message else {
            Issue.record("\(mail)");
            return
        }
        #expect(title.contains(subject))
        #expect(paragraphs.first?.contains(words) == true)
    }

    @Test func `V43: the right one posted to one sign-in again and again is not compared for ever`() throws {
        let browser = site.browser()
        let page = try browser.get(Browser.authorize())
        let right = [("email", "ada@acme.example"), ("password", People.password)]
        #expect(try browser.send(page, right).status == 303)
        // In a browser that is known to the account by now.
        #expect(try browser.send(page, right).status == 303)
        try site.teams.admin("UPDATE limits SET count = 99 WHERE subject LIKE 'compared.account.%'")
        var statuses: [Int] = []
        let calls = site.pool.callCount
        for _ in 0..<4 {
            let answer = try browser.send(page, right)
            statuses.append(answer.status)
            guard answer.status == 429 else { continue }
            #expect(answer.body.contains("Too many passwords were tried here"))
            #expect(answer.body.contains("ada@acme.example") && !answer.body.contains(People.password))
            #expect((1...900).contains(answer["Retry-After"].flatMap { Int($0) } ?? 0))
        }
        #expect(statuses == [303, 429, 429, 429])
        #expect(site.pool.callCount == calls + 1)
    }
}
