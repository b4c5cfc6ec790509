import Core
import Testing

@testable import OAuth

@Suite struct `A link that was changed on its way` {
    private static let redirect = "redirect_uri=https%3A%2F%2Facme.example%2Fback"

    @Test(arguments: [
        ("client_id=com.acme.web&amp;\(redirect)", LinkDamage.entities),
        ("client_id=com.acme.web%26amp%3B\(redirect)", .entities),
        ("client_id=com.acme.web&#38;\(redirect)", .entities),
        ("redirect_uri=https%253A%252F%252Facme.example%252Fback", .encodedTwice),
        ("scope=name%2520email", .encodedTwice), ("response_type=code%2520id_token&\(redirect)", .encodedTwice),
        ("redirect_uri=https%3A%2F%2Facme.example%2Fa+b", .plus), ("client_id=%22com.acme.web%22", .quotes),
        ("redirect_uri=%3Chttps%3A%2F%2Facme.example%3E", .quotes),
        ("client_id=%E2%80%9Ccom.acme.web%E2%80%9D", .quotes),
    ]) func `is named`(query: String, damage: LinkDamage) throws {
        #expect(try LinkDamage(FormCoding.decode(Array(query.utf8))) == damage)
    }

    @Test(arguments: [
        "client_id=com.acme.web&\(redirect)&scope=name+email&response_type=code+id_token",
        "state=a%2526amp%253Bb%2520&\(redirect)", "\(redirect)%3Fnext%3D%252Fhome", "nonce=%22x%22", "",
    ]) func `is not seen in a good one`(query: String) throws {
        #expect(try LinkDamage(FormCoding.decode(Array(query.utf8))) == nil)
    }
}
