import Core
import Directory
import Platform
import Templates
import Testing

@testable import SignIn
@testable import TestTeams

/// The five languages of the hosted pages.
@Suite struct HostedLanguageTests {
    private static let headlines = [
        ("en", "Sign in to Web of com.acme.app"), ("de", "Bei Web of com.acme.app anmelden"),
        ("ru", "Вход в Web of com.acme.app"), ("zh-Hans", "登录 Web of com.acme.app"),
        ("id", "Masuk ke Web of com.acme.app"),
    ]

    @Test(.site) func `the app's wish goes before the browser's, and both before English`() throws {
        for (tag, headline) in Self.headlines {
            let wished = try site.ask(
                "GET", Browser.authorize(["ui_locales": "xx \(tag)"]), ["Accept-Language: fr, en;q=0.5"])
            #expect(wished.headline == headline && wished.body.contains("<html lang=\"\(tag)\">"))
            let read = try site.ask("GET", Browser.authorize(), ["Accept-Language: fr, \(tag);q=0.5"])
            #expect(read.headline == headline)
        }
        #expect(try site.ask("GET", Browser.authorize(["locale": "de_DE"])).headline == Self.headlines[1].1)
        let garbage = try site.ask("GET", Browser.authorize(["ui_locales": "\"><b>"]), ["Accept-Language: ;;q=,"])
        #expect(garbage.headline == Self.headlines[0].1)
    }

    @Test(.site) func `of a browser's languages a sign-in keeps three letters beside its own`() throws {
        for header in ["hu-\(String(repeating: "x", count: 900)), de", "yue-Hant, id"] {
            _ = try site.ask("GET", Browser.authorize(), ["Accept-Language: \(header)"])
        }
        #expect(try site.admin("SELECT language FROM interactions ORDER BY 1") == [["hu de"], ["yue id"]])
    }

    @Test(.site) func `a sign-in keeps the language it began in, to its last page`() throws {
        let browser = site.browser()
        let changes = Browser.everything.merging(["ui_locales": "ru"]) { $1 }
        let sheet = try browser.signIn(try browser.get(Browser.authorize(changes)))
        #expect(sheet.body.contains("<html lang=\"ru\">") && sheet.body.contains("Скрыть мой адрес"))
        let exit = try browser.send(sheet, [("email_choice", "share"), ("decision", "continue")])
        #expect(exit.headline == "Назад в Web of com.acme.app")
    }

    @Test(arguments: [(1, "1 минуту"), (2, "2 минуты"), (5, "5 минут"), (15, "15 минут")])
    func `numbers have the form that the language wants`(minutes: Int, words: String) throws {
        let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let refusal = SignInRefusal(.locked(TooManyRequests(limit: .failedProofs, wait: .seconds(minutes * 60))))
        let text = try Translations(folder: root + "/Texts").text(refusal.words, in: .russian)
        #expect(text.contains(words))
    }
}
