import Testing

/// One form of a page: where it goes, and what it brings by itself.
struct PageForm {
    let action: String
    let text: String

    /// The value of a hidden field.
    func value(of name: String) -> String? { text.firstMatch(between: "name=\"\(name)\" value=\"", and: "\"") }

    /// The options for the browser's passkeys.
    var passkeyOptions: String? { text.firstMatch(between: "data-passkey-options=\"", and: "\"") }
}

extension Answer {
    /// The forms of the page, in their order.
    var forms: [PageForm] {
        body.components(separatedBy: "<form ").dropFirst().compactMap { part in
            let text = part.components(separatedBy: "</form>")[0]
            return text.firstMatch(between: "action=\"", and: "\"").map { PageForm(action: $0, text: text) }
        }
    }

    /// The form that goes to an address ending like that.
    func form(to end: String) throws -> PageForm {
        try #require(forms.first { $0.action.split(separator: "?")[0].hasSuffix(end) }, "no form to \(end)")
    }
}

extension String {
    func firstMatch(between start: String, and end: String) -> String? {
        guard let from = firstRange(of: start) else { return nil }
        let rest = self[from.upperBound...]
        guard let to = rest.firstRange(of: end) else { return nil }
        return String(rest[..<to.lowerBound]).replacing("&quot;", with: "\"").replacing("&amp;", with: "&").replacing(
            "&#39;", with: "'")
    }

    func components(separatedBy separator: String) -> [String] {
        var parts: [String] = []
        var rest = self[...]
        while let range = rest.firstRange(of: separator) {
            parts.append(String(rest[..<range.lowerBound]))
            rest = rest[range.upperBound...]
        }
        return parts + [String(rest)]
    }
}

extension Browser {
    /// Sends a form of a page.
    func send(_ form: PageForm, _ values: [(String, String)] = []) throws -> Answer {
        try post(form.action, [("csrf", try #require(form.value(of: "csrf")))] + values)
    }
}
