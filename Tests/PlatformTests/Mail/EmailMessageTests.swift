import Core
import Platform
import Testing

@Suite struct `A message` {
    private static let until = Timestamp(seconds: 1_800_000_000)
    private static let link = "https://pippin.example/x?a=1&b=2"

    private static let messages: [EmailMessage] = [
        .verification(link: link, until: until), .passwordReset(link: link, until: until),
        .signInLink(link: link, until: until), .newSignIn(at: until, browser: "Firefox", ip: "203.0.113.7", link: link),
        .newSignIn(at: until, browser: "", ip: "203.0.113.7", link: link),
        .invitation(inviter: "Cleo", team: "Acme", link: link, until: until),
    ]

    @Test(arguments: messages, Language.allCases) func `says all it has to in every language, in both forms`(
        message: EmailMessage, language: Language
    ) throws {
        let written = try emailRenderer().write(message, from: "Acme", in: language)

        #expect(written.subject.contains("Acme"))
        #expect(written.text.contains(Self.link))
        #expect(written.html.contains("https://pippin.example/x?a=1&amp;b=2"))
        #expect(written.html.contains("<html lang=\"\(language.tag)\">"))
        for form in [written.subject, written.text, written.html] {
            #expect(!form.contains("mail."), "a text is missing")
            #expect(!form.contains("{"))
        }
    }

    @Test func `differs from language to language`() throws {
        let writer = try emailRenderer()

        let subjects = Language.allCases.map { writer.write(Self.messages[0], from: "Acme", in: $0).subject }

        #expect(Set(subjects).count == Language.allCases.count)
    }

    @Test func `shows names as they are and never as markup`() throws {
        let message = EmailMessage.invitation(inviter: "<b>Cleo<b>", team: "Acme", link: Self.link, until: Self.until)

        let written = try emailRenderer().write(message, from: "A\r\nBcc: x", in: .english)

        #expect(written.html.contains("&lt;b&gt;Cleo&lt;b&gt;"))
        #expect(written.text.contains("<b>Cleo<b>"))
        #expect(!written.subject.unicodeScalars.contains { $0.value < 0x20 })
    }
}
