import Core
import Testing

@testable import HTTP

@Suite struct `A message` {
    private func message(subject: String = "Hello", sender: String = "Acme", text: String = "Hello", id: String = "abc")
        -> String
    {
        let message = MIMEMessage(
            id: id, from: "no-reply@pippin.example", named: sender, to: "ada@acme.example", subject: subject,
            text: text, html: "<p>\(text)</p>", at: Timestamp(seconds: 1_795_174_140))
        return String(decoding: message.bytes(fields: [("Auto-Submitted", "auto-generated")]), as: UTF8.self)
    }

    private func head(_ message: String) -> [String] {
        let end = message.firstRange(of: "\r\n\r\n")
        return message[..<(end?.lowerBound ?? message.endIndex)].split(separator: "\r\n").map(String.init)
    }

    @Test func `has the fields that a reader and a server want`() {
        #expect(
            head(message()) == [
                "Date: Fri, 20 Nov 2026 11:29:00 +0000", "From: \"Acme\"", " <no-reply@pippin.example>",
                "To: <ada@acme.example>", "Subject: Hello", "Message-ID: <abc@pippin.example>",
                "Auto-Submitted: auto-generated", "MIME-Version: 1.0",
                "Content-Type: multipart/alternative; boundary=\"=_abc\"",
            ])
    }

    @Test func `has its text in two forms`() {
        let body = message(text: "Grüße")

        #expect(
            body.contains(
                "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nGr=C3=BC=C3=9Fe\r\n--=_abc\r\n"
            ))
        #expect(body.contains("\r\n\r\n<p>Gr=C3=BC=C3=9Fe</p>\r\n--=_abc--\r\n"))
    }

    @Test(arguments: [
        "Hello\r\nBcc: eve@evil.example", "Hello\nBcc: eve@evil.example", "Hello\rBcc: eve@evil.example",
        "=?utf-8?Q?Hello=0D=0ABcc:_eve?=", "Hello\u{0}", "Hello\u{2028}Bcc: eve@evil.example",
    ]) func `takes no further field from a subject or a name`(text: String) {
        for message in [message(subject: text), message(sender: text)] {
            #expect(head(message).allSatisfy { !$0.hasPrefix("Bcc") && !$0.contains("eve@") })
            #expect(message.utf8.allSatisfy { (0x20...0x7E).contains($0) || $0 == 0x0D || $0 == 0x0A || $0 == 0x09 })
            #expect(message.split(separator: "\r\n").allSatisfy { !$0.contains("\r") && !$0.contains("\n") })
        }
    }

    @Test func `encodes a subject of any language in words of whole characters`() {
        let subject = String(repeating: "Подтвердите адрес 确认 ", count: 8)

        let lines = head(message(subject: subject))
        let first = lines.firstIndex { $0.hasPrefix("Subject: ") } ?? 0
        let words = lines[first...].prefix { $0.hasPrefix("Subject: ") || $0.hasPrefix(" =?") }

        #expect(words.count > 3)
        #expect(words.allSatisfy { $0.utf8.count <= 84 })
        let decoded = words.map { word in
            let start = word.firstRange(of: "=?utf-8?B?")?.upperBound ?? word.startIndex
            let octets = Base64.decode(word[start...].dropLast(2).utf8) ?? []
            return String(validating: octets, as: UTF8.self)
        }
        #expect(decoded.allSatisfy { $0 != nil })
        #expect(decoded.compactMap { $0 }.joined() == subject)
    }

    @Test(arguments: [
        ("a=b", "a=3Db"), ("end ", "end=20"), ("tab\t\nnext", "tab=09\r\nnext"), ("a\r\nb\rc\nd", "a\r\nb\r\nc\r\nd"),
        ("é", "=C3=A9"), ("", ""), ("\u{0}\u{7F}", "=00=7F"),
    ]) func `writes text that survives every server`(text: String, encoded: String) {
        #expect(QuotedPrintable.encode(text) == encoded)
    }

    @Test func `breaks long lines softly`() {
        let text = String(repeating: "ä", count: 300)

        let lines = QuotedPrintable.encode(text).split(separator: "\r\n")

        #expect(lines.allSatisfy { $0.utf8.count <= 76 })
        #expect(lines.dropLast().allSatisfy { $0.hasSuffix("=") })
        #expect(
            lines.map { $0.hasSuffix("=") ? $0.dropLast() : $0 }.joined() == String(repeating: "=C3=A4", count: 300))
    }
}
