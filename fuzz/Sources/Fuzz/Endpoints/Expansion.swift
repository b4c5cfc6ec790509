import Core
import Crypto
import Platform
import SignIn
import Simulator

@testable import pippin

/// Evaluates the expressions in a script.
///
/// They can be nested: `«es256 {"iat":«now»}»`.
///
/// | | |
/// |---|---|
/// | host, origin, base, callback | of the server, of the team, of the app |
/// | now, now+N, now-N | seconds since 1970 |
/// | csrf | the form token of this browser |
/// | action, form FIELDS, field NAME | of the last response's first form: action, body with these fields, a value |
/// | location, link PART, json NAME | of the last response: its redirect, a link that contains PART, a member |
/// | es256 CLAIMS, es256 HEADER ~ CLAIMS | a JWT signed with the app's key |
/// | apple CLAIMS, apple HEADER ~ CLAIMS | a JWT of the Apple simulator |
/// | secret, code, access, refresh, id_token | valid values for a client |
/// | sub, sub PERSON | subject of the user that those belong to, or of another user |
/// | times N TEXT | the text N times over |
/// | url TEXT, b64 TEXT | percent-encoded, base64url |
struct Expansion {
    let site: Site
    let values: Values
    var jar: Jar
    /// The last response.
    var last = Answer()
    /// Client address in `X-Forwarded-For`, different for every input so that no limit per address is reached.
    let address: String
    /// Whether a value was used that works only once.
    private(set) var hasSpent = false
    private var room = Expansion.limit

    /// Maximum number of octets of an expanded script.
    private static let limit = 400_000
    private static let deepest = 8

    init(values: Values, jar: Jar, of input: [UInt8]) {
        (site, self.values, self.jar) = (values.site, values, jar)
        let digest = SHA256.hash(input)
        address = "198.\(18 + digest[0] % 2).\(digest[1]).\(digest[2])"
    }

    mutating func expand(_ text: [UInt8]) -> [UInt8] {
        var rest = text[...]
        return expand(&rest, depth: 0)
    }

    /// Expands to the end, or to the mark that closes an inner expression.
    private mutating func expand(_ rest: inout ArraySlice<UInt8>, depth: Int) -> [UInt8] {
        var result: [UInt8] = []
        while let octet = rest.popFirst() {
            guard octet == 0xC2, let mark = rest.first, mark == 0xAB || mark == 0xBB else {
                result.append(octet)
                continue
            }
            rest.removeFirst()
            if mark == 0xAB, depth < Self.deepest {
                result += value(of: expand(&rest, depth: depth + 1))
            } else if mark == 0xBB, depth > 0 {
                break
            }
        }
        return result
    }

    private mutating func value(of expression: [UInt8]) -> [UInt8] {
        let parts = expression.split(separator: 0x20, maxSplits: 1, omittingEmptySubsequences: false).map(Array.init)
        let argument = parts.count > 1 ? parts[1] : []
        // Comparing arbitrary text by Unicode's rules takes minutes, and all names are ASCII.
        guard let name = Self.word(parts.first ?? []) else { return parts.first ?? [] }
        switch name {
        case "times": return times(argument)
        case "url": return Array(PercentCoding.encode(String(decoding: argument, as: UTF8.self)).utf8)
        case "b64": return Array(Base64URL.encode(argument).utf8)
        case "es256": return Array(values.signed(argument, byApple: false).utf8)
        case "apple": return Array(values.signed(argument, byApple: true).utf8)
        default: return Array(text(of: name, Self.word(argument) ?? "").utf8)
        }
    }

    /// The octets as text if they are ASCII; nil otherwise.
    private static func word(_ octets: [UInt8]) -> String? {
        octets.allSatisfy { $0 < 0x80 } ? String(decoding: octets, as: UTF8.self) : nil
    }

    private mutating func text(of name: String, _ argument: String) -> String {
        switch name {
        case "host": site.authority
        case "origin": site.origin
        case "base": site.base
        case "apple-base": "\(site.origin)/t/APPLESIM00"
        case "callback": site.demo.registration.returnURL
        case "csrf": formToken
        case "action": HTML.forms(in: last.text).first?.action ?? ""
        case "location": path(of: last.values(of: "location").first ?? HTML.refresh(in: last.text) ?? "")
        case "link": path(of: HTML.links(in: last.text).first { $0.contains(argument) } ?? "")
        case "form": HTML.forms(in: last.text).first?.body(choosing: Self.fields(argument)) ?? ""
        case "field": HTML.forms(in: last.text).first?.fields.first { $0.name == argument }?.value ?? ""
        case "json": (try? JSON.decode(JSONValue.self, from: last.body))?[argument]?.string ?? ""
        case "sub": site.subject(of: Person(rawValue: argument) ?? .ada)
        case "secret": values.secret
        case "code", "access", "refresh", "id_token": spend(name)
        default: name.hasPrefix("now") ? String(Self.now(name.dropFirst(3))) : name
        }
    }

    private mutating func spend(_ name: String) -> String {
        hasSpent = true
        return values.token(name)
    }

    /// The form token for the browser's cookie, or else from the last page.
    private var formToken: String {
        if let secret = jar["pippin-browser"] {
            return FormTokens(keyRing: site.process.server.keyRing).token(for: secret)
        }
        return HTML.forms(in: last.text).first?.fields.first { $0.name == "csrf" }?.value ?? ""
    }

    /// The path of a URL of this server, under any of its host names.
    private func path(of address: String) -> String {
        guard let range = address.firstRange(of: ":\(site.port)/") else { return address }
        return "/" + address[range.upperBound...]
    }

    private static func fields(_ form: String) -> [String: String] {
        let fields = (try? FormCoding.decode(form.utf8)) ?? []
        return Dictionary(fields.map { ($0.name.text, $0.value) }) { first, _ in first }
    }

    private mutating func times(_ argument: [UInt8]) -> [UInt8] {
        let parts = argument.split(separator: 0x20, maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let count = Int(String(decoding: parts[0], as: UTF8.self)), count > 0 else { return [] }
        let fitting = min(count, room / max(1, parts[1].count))
        room -= fitting * parts[1].count
        return Array(repeatElement(parts[1], count: fitting).joined())
    }

    private static func now(_ offset: Substring) -> Int {
        Timestamp.now().seconds &+ (Int(offset.hasPrefix("+") ? offset.dropFirst() : offset) ?? 0)
    }
}
