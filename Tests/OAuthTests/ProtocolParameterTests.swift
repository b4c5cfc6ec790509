import Core
import Testing

@testable import OAuth

/// Security cases V2 and V32.
@Suite struct ProtocolParameterTests {
    private func parameters(_ fields: (FieldName, String)...) throws(OAuthError) -> ProtocolParameters {
        try ProtocolParameters(fields.map { FormCoding.Field($0.0, $0.1) })
    }

    @Test func `V2: a repeated parameter is refused, whether it is known, empty, or the same again`() {
        for (first, second) in [("a", "b"), ("a", "a"), ("", "a"), ("a", ""), ("", "")] {
            for name: FieldName in ["client_id", "state", "nobody_knows_it"] {
                let error = #expect(throws: OAuthError.self) {
                    try parameters((name, first), ("other", "x"), (name, second))
                }
                #expect(error?.code == .invalidRequest)
            }
        }
    }

    @Test func `names that differ in case are different parameters`() throws {
        let parameters = try parameters(("state", "a"), ("State", "b"))
        #expect(parameters["state"] == "a")
    }

    @Test func `an empty parameter counts as absent`() throws {
        let parameters = try parameters(("scope", ""))
        #expect(parameters["scope"] == nil)
        #expect(throws: OAuthError.self) { try parameters.required("scope") }
    }

    @Test func `V32: every parameter has a length it may not pass`() throws {
        let limits: [(FieldName, Int)] = [
            ("scope", 2048), ("client_id", 2048), ("state", 4096), ("nonce", 512), ("client_secret", 8192),
        ]
        for (name, limit) in limits {
            #expect(try parameters((name, String(repeating: "x", count: limit)))[name.text] != nil)
            #expect(throws: OAuthError.self, "\(name)") {
                try parameters((name, String(repeating: "x", count: limit + 1)))
            }
        }
    }

    @Test func `V32: sixty-five parameters are too many`() throws {
        let fields = (0..<65).compactMap { FieldName("p\($0)") }.map { FormCoding.Field($0, "x") }
        #expect(throws: Never.self) { try ProtocolParameters(Array(fields.dropLast())) }
        #expect(throws: OAuthError.self) { try ProtocolParameters(fields) }
    }

    @Test func `a NUL, which no column of text can hold, is refused`() {
        for value in ["\0", "state\0", "\0state"] {
            let error = #expect(throws: OAuthError.self) { try parameters(("state", value)) }
            #expect(error?.code == .invalidRequest)
        }
    }
}
