import Core
import Platform
import Testing

@testable import pippin

/// A person in a browser of their own, who goes where pages lead and proves themselves with a password.
final class Visitor {
    private let product: Product
    private let wire: Wire
    private let values: [String: String]
    private let address: String
    private var cookies: [String: String]
    private var message: [UInt8] = []
    /// What was answered last.
    private(set) var page = Wire.Answer()
    /// All that was shown to the person and typed by them.
    private var texts: [String] = []

    convenience init(_ product: Product, login: String, _ password: String) {
        self.init(product, ["email": login, "password": password])
    }

    /// - Parameter values: what goes into fields of these names.
    init(_ product: Product, _ values: [String: String], cookies: [String: String] = [:], at address: String? = nil) {
        self.product = product
        (self.values, self.cookies) = (values, cookies)
        wire = Wire(port: product.port)
        self.address = address ?? product.newAddress()
    }

    /// Goes to the page that asks for the password, and makes ready what answers it.
    func begin(at path: String) throws {
        let page = follow(path)
        let form = PageForm.all(in: page.text).first { $0.fields.contains { $0.name == "password" } }
        message = fill(try #require(form, "no password is asked for: \(page.status)"))
    }

    func send() { _ = wire.send(message) }
    func read() -> Wire.Answer { wire.read() }

    /// Signs in to an app and agrees to everything.
    ///
    /// - Returns: the code that the app gets.
    func approve(at path: String) throws -> String {
        var page = follow(path)
        for _ in 0..<6 {
            let forms = PageForm.all(in: page.text).filter(\.isPost)
            if let code = forms.flatMap(\.fields).first(where: { $0.name == "code" && !$0.value.isEmpty }) {
                return code.value
            }
            let form = forms.first { $0.fields.contains { $0.name == "password" } } ?? forms.first
            page = go(fill(try #require(form, "no form: \(page.status) \(page.text.prefix(3000))")))
        }
        throw NoCode(page: page.text)
    }

    struct NoCode: Error { let page: String }

    @discardableResult func follow(_ path: String) -> Wire.Answer { go(head("GET \(path)", [])) }

    /// Follows the first link of the page whose address contains `part`.
    func follow(link part: String) {
        let links = page.text.split(separator: "href=\"").dropFirst().map { $0.prefix { $0 != "\"" } }
        guard let link = links.first(where: { $0.contains(part) }) else {
            Issue.record("no link to \(part): \(page.status) \(page.text.prefix(3000))")
            return
        }
        follow(String(link).replacing("&amp;", with: "&").replacing(product.process.server.publicURL, with: ""))
    }

    /// Sends the form of a page that has a field, or is sent to an address that ends so.
    ///
    /// - Parameter path: leads to the page; nil for the one that is there.
    func submit(_ field: String? = nil, at path: String? = nil, to end: String = "", _ own: [String: String] = [:]) {
        if let path { follow(path) }
        let forms = PageForm.all(in: page.text).filter { $0.isPost && $0.action.hasSuffix(end) }
        guard
            let form = forms.first(where: { form in
                guard let field else { return !end.isEmpty || form.fields.contains { $0.name != "csrf" } }
                return form.fields.contains { $0.name == field }
            })
        else {
            Issue.record("no form with \(field ?? end): \(page.status) \(page.text.prefix(3000))")
            return
        }
        page = go(fill(form, own))
    }

    /// Remembers what was shown in another spelling.
    func note(_ text: String) { texts.append(text) }

    /// Sends fields as an app does.
    func post(_ path: String, _ fields: [(name: String, value: String)]) -> Wire.Answer {
        let body = FormCoding.encode(fields)
        texts += fields.map(\.value)
        return ask(
            head(
                "POST \(path)",
                [("Content-Type", "application/x-www-form-urlencoded"), ("Content-Length", "\(body.utf8.count)")])
                + Array(body.utf8))
    }

    /// The paths that were shown and begin so, behind the host.
    func seen(from start: String) -> Set<String> {
        let host = product.process.server.publicURL
        return Set(
            texts.flatMap { $0.split(separator: start).dropFirst() }.map { rest in
                start.replacing(host, with: "") + rest.prefix { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
            })
    }

    /// What has the shape of a secret in all that was shown and typed.
    func secrets() -> Set<String> {
        let words = texts.flatMap { text in
            text.split { !($0.isASCII && ($0.isLetter || $0.isNumber || "-_.+/".contains($0))) }
        }
        return Set(words.filter { $0.utf8.count >= 20 && SecretKind.isFound(in: String($0)) }.map(String.init)).union(
            cookies.values)
    }

    /// Asks, and follows the redirects on this site.
    private func go(_ message: [UInt8]) -> Wire.Answer {
        var answer = ask(message)
        for _ in 0..<6 {
            guard (300..<400).contains(answer.status), let place = answer.location else { break }
            let path = place.replacing(product.process.server.publicURL, with: "")
            answer = ask(head("GET \(path)", []))
        }
        return answer
    }

    private func ask(_ message: [UInt8]) -> Wire.Answer {
        let answer = wire.ask(message)
        page = answer
        texts.append(answer.text)
        texts += answer.fields.map(\.value)
        for field in answer.fields where field.name == "set-cookie" {
            let pair = field.value.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
            if pair.count == 2 { cookies[String(pair[0])] = String(pair[1]) }
        }
        return answer
    }

    private func fill(_ form: PageForm, _ own: [String: String] = [:]) -> [UInt8] {
        let fields = form.fields.map { (name: $0.name, value: own[$0.name] ?? values[$0.name] ?? $0.value) }
        let body = FormCoding.encode(fields.filter { !$0.name.isEmpty })
        return head(
            "POST \(form.action.replacing(product.process.server.publicURL, with: ""))",
            [
                ("Origin", product.process.server.publicURL), ("Content-Type", "application/x-www-form-urlencoded"),
                ("Content-Length", "\(body.utf8.count)"),
            ]) + Array(body.utf8)
    }

    private func head(_ line: String, _ fields: [(String, String)]) -> [UInt8] {
        let jar = cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
        let all = [("Host", "localhost:\(product.port)"), ("X-Forwarded-For", address), ("Cookie", jar)] + fields
        return Array("\(line) HTTP/1.1\r\n\(all.map { "\($0.0): \($0.1)\r\n" }.joined())\r\n".utf8)
    }
}
