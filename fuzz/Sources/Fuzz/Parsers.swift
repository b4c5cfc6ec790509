import Bytes
import Crypto
import HTTP
import Templates

/// Readers of outside text that need nothing around them; each takes one input.
enum Parsers {
    static let all: [String: @Sendable ([UInt8]) -> Void] = [
        "jwt": jwt, "json": json, "form": form, "cookie": cookie, "pem": pem, "template": template,
        "header": Readers.header, "address": Readers.address, "dns": Readers.dns, "passkey": Readers.passkey,
        "provider": Readers.provider, "name": Readers.name, "registry-file": Readers.registryFile,
    ]

    /// A token that comes apart is what it was: no other spelling of it is one, and no key of ours signed it.
    static let jwt: @Sendable ([UInt8]) -> Void = { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        guard let token = try? UnverifiedJWT(text) else { return }
        expect((try? token.verify(with: Key.p256)) == nil && (try? token.verify(with: Key.rsa)) == nil)
        expect((try? UnverifiedJWT(text + "=")) == nil)
    }

    /// What is read can be written, and what was written can be read.
    ///
    /// Not that both are equal: a number of twenty digits may come back a little off.
    static let json: @Sendable ([UInt8]) -> Void = { bytes in
        guard let value = try? JSON.decode(JSONValue.self, from: bytes) else { return }
        expect((try? JSON.decode(JSONValue.self, from: JSON.encode(value))) != nil)
    }

    /// A form written anew has the same fields.
    static let form: @Sendable ([UInt8]) -> Void = { bytes in
        guard let fields = try? FormCoding.decode(bytes) else { return }
        let written = fields.map { "\(PercentCoding.encode($0.name.text))=\(PercentCoding.encode($0.value))" }
            .joined(separator: "&")
        let kept = fields.filter { !($0.name.text.isEmpty && $0.value.isEmpty) }
        let read = (try? FormCoding.decode(written.utf8))?.filter {
            !($0.name.text.isEmpty && $0.value.isEmpty)
        }
        expect(read == kept)
    }

    /// The first value is one of all.
    static let cookie: @Sendable ([UInt8]) -> Void = { bytes in
        let cookies = Cookies([String(decoding: bytes, as: UTF8.self)])
        for name in ["pippin-browser", "a", ""] {
            expect(cookies[name] == cookies.values(named: name).first)
        }
    }

    /// A key that is taken is one that works.
    static let pem: @Sendable ([UInt8]) -> Void = { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        if let key = try? P256SigningKey(pem: text) { expect(key.publicKey.pem.contains("PUBLIC KEY")) }
        _ = try? P256PublicKey(pem: text)
        _ = try? RSAPublicKey(pem: text)
        _ = try? RSASigningKey(pem: text)
    }

    /// A page that binds is written, and shows what it was given only as text.
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

/// One field of each kind, with a text that would be markup if it were not escaped.
private struct Page: View {
    static let hostile = "\"><svg/onload=x>'"
    static let template = "page"
    static let fields = Fields<Page>()
        .text("name") { _ in hostile }
        .optionalText("note") { _ in nil }
        .flag("yes") { _ in true }
        .url("next") { _ in SafeURL(literal: "/next") }
        .list("rows", Fields<String>().text("text") { $0 }) { _ in [hostile, ""] }
        .optionalGroup("group", Fields<String>().text("inner") { $0 }) { _ in hostile }
}
