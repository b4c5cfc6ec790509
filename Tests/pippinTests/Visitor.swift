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
    private var cookies: [String: String] = [:]
    private var message: [UInt8] = []

    init(_ product: Product, login: String, _ password: String) {
        self.product = product
        wire = Wire(port: product.port)
        values = ["email": login, "password": password]
        address = product.newAddress()
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

    private func follow(_ path: String) -> Wire.Answer { go(head("GET \(path)", [])) }

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
        for field in answer.fields where field.name == "set-cookie" {
            let pair = field.value.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
            if pair.count == 2 { cookies[String(pair[0])] = String(pair[1]) }
        }
        return answer
    }

    private func fill(_ form: PageForm) -> [UInt8] {
        let fields = form.fields.map { (name: $0.name, value: values[$0.name] ?? $0.value) }
        let body = FormCoding.encode(fields.filter { !$0.name.isEmpty })
        return head(
            "POST \(form.action)",
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
