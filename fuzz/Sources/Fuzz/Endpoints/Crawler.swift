import Core

/// Crawls the product's pages as a user who may see them, and records every page and form as a script.
final class Crawler {
    private let site: Site
    private let values: Values
    private var found: [String: [UInt8]] = [:]

    private static let mostPages = 400
    /// Maximum number of pages of one kind, which are alike: one, and one more with another query value.
    private static let mostOfAKind = 2

    init(_ site: Site, _ values: Values) {
        self.site = site
        self.values = values
    }

    func walk(_ walks: [(Person, String)]) throws -> [[UInt8]] {
        for (person, start) in walks { walk(as: person, from: start) }
        return found.sorted { $0.key < $1.key }.map(\.value)
    }

    private func walk(as person: Person, from start: String) {
        var (waiting, seen, kinds): ([String], Set<String>, [String: Int]) = ([start], [start], [:])
        while !waiting.isEmpty, seen.count < Self.mostPages {
            let address = waiting.removeFirst()
            let answer = ask(address, as: person)
            note("GET \(address)", person, "")
            guard answer.status == 200 || answer.status == 303 || answer.status == 302 else { continue }
            for form in HTML.forms(in: answer.text) { note(form, at: address, person) }
            for link in HTML.links(in: answer.text) + answer.values(of: "location") {
                guard let path = path(of: link, at: address), path.hasPrefix("/"), !seen.contains(path) else {
                    continue
                }
                let kind = Self.kind(of: path)
                guard kinds[kind, default: 0] < Self.mostOfAKind else { continue }
                kinds[kind, default: 0] += 1
                seen.insert(path)
                waiting.append(path)
            }
        }
    }

    private func ask(_ address: String, as person: Person) -> Answer {
        let jar = Jar(of: person, at: site)
        var expansion = Expansion(values: values, jar: jar, of: Array(address.utf8))
        let script = Script(line: Array("GET \(address)".utf8), fields: [], body: [])
        return site.client.send(script.message(expanding: &expansion, at: site))
    }

    private func note(_ form: HTML.Form, at address: String, _ person: Person) {
        guard let path = path(of: form.action.isEmpty ? address : form.action, at: address) else { return }
        var form = form
        for index in form.fields.indices where form.fields[index].name == "csrf" {
            form.fields[index].value = Self.token
        }
        guard form.isPost else { return note("GET \(path)?\(form.body())", person, "") }
        if form.takesFiles {
            return note("POST \(path)", person, Self.parts(form), "multipart/form-data; boundary=xyz")
        }
        note("POST \(path)", person, form.body(), from: person == .nobody ? address : nil)
    }

    /// Placeholder for the form token, which depends on the browser that sends the form.
    private static let token = "token-of-this-browser"

    /// Records a request, with expressions for values that differ between runs.
    ///
    /// - Parameter page: page with the form, which a browser without cookies gets first.
    private func note(_ line: String, _ person: Person, _ body: String, _ type: String? = nil, from page: String? = nil)
    {
        var text = page.map { "GET \($0)\n----\n" } ?? ""
        text += "\(line)\nAs: \(person.rawValue)\n"
        if let type { text += "Content-Type: \(type)\n" }
        if !body.isEmpty { text += "\n\(body)" }
        for (value, expression) in [
            (Self.token, "«csrf»"), (site.subject(of: .ada), "«sub»"), (site.subject(of: .owner), "«sub owner»"),
            (PercentCoding.encode(site.origin), "«url «origin»»"), (site.origin, "«origin»"),
        ] where value.count > 8 {
            text = text.split(separator: value, omittingEmptySubsequences: false).joined(separator: expression)
        }
        let kind =
            Self.kind(of: line) + body.split(separator: "&").compactMap { $0.split(separator: "=").first }.joined()
        if found["\(person) \(kind)"] == nil { found["\(person) \(kind)"] = Array(text.utf8) }
    }

    private static func parts(_ form: HTML.Form) -> String {
        var text = ""
        for (name, value) in form.fields {
            let file = name == "logo" ? "; filename=\"logo.png\"\r\nContent-Type: image/png" : ""
            text += "--xyz\r\nContent-Disposition: form-data; name=\"\(name)\"\(file)\r\n\r\n\(value)\r\n"
        }
        return text + "--xyz--\r\n"
    }

    private func path(of link: String, at address: String) -> String? {
        if link.hasPrefix("/") { return String(link.prefix { $0 != "#" }) }
        if link.hasPrefix(site.origin) { return String(link.dropFirst(site.origin.count).prefix { $0 != "#" }) }
        if link.hasPrefix("?") { return address.prefix { $0 != "?" } + link }
        return nil
    }

    /// The path with digits and identifiers replaced, and the names of its query parameters.
    private static func kind(of path: String) -> String {
        let parts = path.split(separator: "?", maxSplits: 1)
        let segments = (parts.first ?? "").split(separator: "/").map { segment in
            segment.utf8.contains { (0x30...0x39).contains($0) } || segment.contains(".") ? "#" : String(segment)
        }
        let query = parts.count > 1 ? parts[1].split(separator: "&").compactMap { $0.split(separator: "=").first } : []
        return segments.joined(separator: "/") + "?" + query.joined(separator: "&")
    }
}
