import Core
import Crypto
import HTTP
import Templates

/// Parsers of outside text without dependencies; each takes one input.
enum Parsers {
    static let all: [String: @Sendable ([UInt8]) -> Void] = [
        "jwt": jwt, "json": json, "form": form, "cookie": cookie, "pem": pem, "template": template,
        "header": Readers.header, "address": Readers.address, "dns": Readers.dns, "passkey": Readers.passkey,
        "provider": Readers.provider, "name": Readers.name, "registry-file": Readers.registryFile,
    ]

    /// No other spelling of a token may parse, and no token may verify with a key of this process.
    static let jwt: @Sendable ([UInt8]) -> Void = { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        guard let token = try? UnverifiedJWT(text) else { return }
        expect((try? token.verify(with: Key.p256)) == nil && (try? token.verify(with: Key.rsa)) == nil)
        expect((try? UnverifiedJWT(text + "=")) == nil)
    }

    /// Every parsed value can be encoded, and its encoding parsed.
    ///
    /// The values need not be equal, because a number of twenty digits may lose precision.
    static let json: @Sendable ([UInt8]) -> Void = { bytes in
        guard let value = try? JSON.decode(JSONValue.self, from: bytes) else { return }
        expect((try? JSON.decode(JSONValue.self, from: JSON.encode(value))) != nil)
    }

    /// An encoded form has the fields of the parsed one.
    static let form: @Sendable ([UInt8]) -> Void = { bytes in
        guard let fields = try? FormCoding.decode(bytes) else { return }
        let written = fields.map { "\(PercentCoding.encode($0.name.text))=\(PercentCoding.encode($0.value))" }.joined(
            separator: "&")
        let kept = fields.filter { !($0.name.text.isEmpty && $0.value.isEmpty) }
        let read = (try? FormCoding.decode(written.utf8))?.filter { !($0.name.text.isEmpty && $0.value.isEmpty) }
        expect(read == kept)
    }

    /// The first value of a cookie is the first of all its values.
    static let cookie: @Sendable ([UInt8]) -> Void = { bytes in
        let cookies = Cookies([String(decoding: bytes, as: UTF8.self)])
        for name in ["pippin-browser", "a", ""] { expect(cookies[name] == cookies.values(named: name).first) }
    }

    /// Every key that is accepted works.
    static let pem: @Sendable ([UInt8]) -> Void = { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        if let key = try? P256SigningKey(pem: text) { expect(key.publicKey.pem.contains("PUBLIC KEY")) }
        _ = try? P256PublicKey(pem: text)
        _ = try? RSAPublicKey(pem: text)
        _ = try? RSASigningKey(pem: text)
    }

    /// Every template that binds renders, and escapes the text it is given.
    static let template: @Sendable ([UInt8]) -> Void = { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        guard let page = try? TemplateSet(templates: ["page": text]).bind(Page.self) else { return }
        var octets: [UInt8] = []
        page.render(Page(), into: &octets)
        let written = String(decoding: octets, as: UTF8.self)
        expect(!written.contains(Page.hostile) || text.contains(Page.hostile))
    }
}

private enum Key {
    static let p256 = P256SigningKey.generate().publicKey
    static let rsa = make { try RSASigningKey.generate() }.publicKey

    private static func make<Value>(_ body: () throws -> Value) -> Value {
        guard let value = try? body() else { fatalError("no key can be made") }
        return value
    }
}

/// A field of each kind, with text that would be markup without escaping.
private struct Page: View {
    static let hostile = "\"><svg/onload=x>'"
    static let template = "page"
    static let fields = Fields<Page> {
        $0.text("name") { _ in hostile }
        $0.optionalText("note") { _ in nil }
        $0.flag("yes") { _ in true }
        $0.url("next") { _ in SafeURL(literal: "/next") }
        $0.list("rows", Fields<String> { $0.text("text") { $0 } }) { _ in [hostile, ""] }
        $0.optionalGroup("group", Fields<String> { $0.text("inner") { $0 } }) { _ in hostile }
    }
}
