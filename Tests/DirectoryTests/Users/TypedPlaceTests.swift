import Core
import Platform
import Testing

@testable import Crypto
@testable import Directory

/// Each place of this module and those below where a person types: what it reads of dirty text is what it reads of clean text.
@Suite struct `What people type is read alike in every place` {
    struct Place: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let clean: String
        let read: @Sendable (String) -> String?
    }

    private static let places = [
        Place(testDescription: "email address", clean: "ada@acme.example") { EmailAddress(typed: $0)?.rawValue },
        Place(testDescription: "login name", clean: "ada@acme.example") { LoginName(rawValue: $0)?.rawValue },
        Place(testDescription: "login name that is none", clean: "countess") { LoginName(rawValue: $0)?.rawValue },
        Place(testDescription: "recovery code", clean: "abcde-fgh23") { RecoveryCode(text: $0)?.text },
        Place(testDescription: "given name", clean: "Ada") { PersonName(given: $0, family: "")?.given },
        Place(testDescription: "family name", clean: "Ada") { PersonName(given: "", family: $0)?.family },
        Place(testDescription: "name from an app", clean: "Ada") { PersonName(sentOnce: $0, "").given },
        Place(testDescription: "name of a passkey", clean: "Phone") { PasskeyName($0)?.text },
        Place(testDescription: "search", clean: "ada") { UserSearch($0)?.folded },
        Place(testDescription: "code of an app", clean: "287082") { code in
            // The code of step 1 of RFC 6238, appendix B.
            guard let secret = TOTPSecret(Array("12345678901234567890".utf8)) else { return nil }
            return TOTP.step(ofCode: code, secret: secret, atSeconds: 59).map { _ in "287082" }
        },
    ]

    private static let marks = [
        " ", "\t", "\n", "\r\n", "\u{A0}", "\u{202F}", "\u{200B}", "\u{FEFF}", "\u{2060}", "\u{200E}", "\u{202A}",
        "\u{202C}",
    ]

    @Test(arguments: places) func `with marks that nobody sees, before and behind`(place: Place) {
        for mark in Self.marks {
            for text in [mark + place.clean, place.clean + mark] {
                #expect(place.read(text) == place.clean, "\(text.debugDescription)")
            }
        }
    }

    @Test(
        arguments: places.filter {
            !["given name", "family name", "name from an app", "name of a passkey"].contains($0.testDescription)
        }) func `in full width, where it is code`(place: Place)
    {
        let wide = String(
            String.UnicodeScalarView(place.clean.unicodeScalars.compactMap { Unicode.Scalar($0.value + 0xFEE0) }))
        #expect(place.read(wide) == place.clean)
    }
}
