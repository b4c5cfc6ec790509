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
        body.split(separator: "<form ", omittingEmptySubsequences: false).dropFirst().compactMap { part in
            let text = String(part.split(separator: "</form>", maxSplits: 1)[0])
            return text.firstMatch(between: "action=\"", and: "\"").map { PageForm(action: $0, text: text) }
        }
    }

    /// The form that goes to an address ending like that.
    func form(to end: String) throws -> PageForm {
        try #require(forms.first { $0.action.split(separator: "?")[0].hasSuffix(end) }, "no form to \(end)")
    }
}

extension String {
    /// What stands between the first `start` and the `end` after it, as it was before it was escaped for HTML.
    func firstMatch(between start: String, and end: String) -> String? {
        guard let from = firstRange(of: start) else { return nil }
        let rest = self[from.upperBound...]
        return rest.firstRange(of: end).map { String(rest[..<$0.lowerBound]).unescaped }
    }

    /// The text that was escaped for HTML.
    private var unescaped: String {
        var text = self
        for (escaped, character) in [
            ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&#x27;", "'"), ("&#96;", "`"),
            ("&amp;", "&"),
        ] { text = text.replacing(escaped, with: character) }
        return text
    }
}

extension Browser {
    /// Sends a form of a page.
    func send(_ form: PageForm, _ values: [(String, String)] = []) throws -> Answer {
        try post(form.action, [("csrf", try #require(form.value(of: "csrf")))] + values)
    }
}
