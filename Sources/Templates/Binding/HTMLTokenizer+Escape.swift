extension HTMLTokenizer {
    /// Returns the escaping for a value of this kind at the current position, or throws if none is allowed there.
    func escape(for kind: FieldKind) throws(ValueMismatch) -> Escape {
        let isHTML = if case .html = kind { true } else { false }
        switch place {
        case .text: return isHTML ? .none : isInHeading ? .heading : .markup
        case .rawText:
            guard element.holdsEscapableText, !isInClosingTag else { break }
            if isHTML { throw ValueMismatch(found: "a SafeHTML inside `<\(element.text)>`", expected: "a text") }
            return .attribute
        case .quotedValue:
            if isHTML { throw ValueMismatch(found: "a SafeHTML in an attribute", expected: "a text") }
            return try attributeEscape(for: kind)
        case .unquotedValue, .beforeValue:
            throw ValueMismatch(found: "a value in an attribute without quotes", expected: "quotes around it")
        default: break
        }
        throw ValueMismatch(found: "a value \(description)", expected: "values only in text and in quoted attributes")
    }

    /// Whether the position is the text of a heading.
    var isInHeading: Bool { place == .text && isInsideHeading }

    private func attributeEscape(for kind: FieldKind) throws(ValueMismatch) -> Escape {
        let attribute = attributeKind
        switch (attribute, value) {
        case (.refused(let what), _): throw ValueMismatch(found: "a value in \(what)", expected: "literal text there")
        case (.httpEquiv, _): throw ValueMismatch(found: "a value in `http-equiv`", expected: "literal text there")
        case (_, .url(let position)):
            return try urlEscape(for: kind, at: position, vettedOnly: attribute == .loadingURL)
        case (_, .refreshURL(let position)): return try urlEscape(for: kind, at: position, vettedOnly: true)
        case (.refresh, _):
            guard case .integer = kind else {
                throw ValueMismatch(found: "\(kind.noun) before `url=` of a refresh", expected: "a number")
            }
            return .attribute
        default: return .attribute
        }
    }

    private func urlEscape(for kind: FieldKind, at position: URLPosition, vettedOnly: Bool, ) throws(ValueMismatch)
        -> Escape
    {
        switch position {
        case .start:
            if case .url = kind { return .attribute }
            guard vettedOnly else { return .urlStart }
            throw ValueMismatch(found: "\(kind.noun) as the URL of \(urlOwner)", expected: "a SafeURL")
        case .scheme, .afterValue, .inside: return .urlComponent
        case .script: throw ValueMismatch(found: "a value in a URL of script or data", expected: "literal text there")
        case .unclear:
            throw ValueMismatch(
                found: "a value in a URL whose beginning depends on a branch, a value or a character reference",
                expected: "the whole URL as one value or in each branch", )
        }
    }

    private var urlOwner: String { element.isRefresh ? "a refresh" : "`<\(element.text)>`" }

    /// The position in words, as diagnostics use it after "a value" and "ends".
    var description: String {
        let tag = "`<\(element.isClosing ? "/" : "")\(element.text)>`"
        return switch place {
        case .text: "in text"
        case .tagOpen, .closingTagOpen, .tagName: "in the name of a tag"
        case .tag, .attributeName, .afterAttributeName, .boundary: "among the attributes of \(tag)"
        case .beforeValue, .quotedValue, .unquotedValue:
            "in the attribute `\(String(decoding: attribute, as: UTF8.self))` of \(tag)"
        case .declaration, .bogusComment: "in a declaration"
        case .comment: "in a comment"
        case .rawText: "inside \(tag)"
        }
    }
}

/// A value that is not allowed at its position: what was found and what is expected.
struct ValueMismatch: Error {
    let found: String
    let expected: String
}
