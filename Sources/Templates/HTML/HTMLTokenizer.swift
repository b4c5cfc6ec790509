import Core

/// Tracks the position in the HTML document byte by byte through the literal text of a page.
///
/// Two tokenizers are equal if every continuation has the same meaning after both.
struct HTMLTokenizer: Equatable, Sendable {
    private(set) var place = HTMLPlace.text
    private(set) var element = HTMLElement()
    /// Whether a heading (`h1` to `h4`) is open.
    private(set) var isInsideHeading = false
    private(set) var attribute: [UInt8] = []
    private(set) var value = AttributeValue.plain
    /// Number of bytes read of the end of a comment, a declaration or raw text.
    private var progress = 0

    /// Reason to reject literal text at its position.
    enum Complaint: Error {
        /// The text would continue a name that a branch may have left open.
        case runsOn
        /// `http-equiv="refresh"` after a `content` that already holds a value.
        case lateRefresh
    }

    /// Reads one byte of literal text.
    mutating func advance(_ byte: UInt8) throws(Complaint) {
        switch place {
        case .text: if byte == UInt8(ascii: "<") { place = .tagOpen }
        case .tagOpen: openTag(byte)
        case .closingTagOpen: openClosingTag(byte)
        case .tagName: inName(byte)
        case .tag: inTag(byte)
        case .attributeName: inAttributeName(byte)
        case .afterAttributeName: afterAttributeName(byte)
        case .beforeValue: try beforeValue(byte)
        case .quotedValue(let quote): try inValue(byte, endsAt: byte == quote)
        case .unquotedValue: try inUnquotedValue(byte)
        case .boundary: try atBoundary(byte)
        case .declaration: inDeclaration(byte)
        case .bogusComment: if byte == UInt8(ascii: ">") { endMarkup() }
        case .comment: inComment(byte)
        case .rawText: inRawText(byte)
        }
    }

    /// Records that a value is written at this position.
    mutating func passValue() {
        value.passValue()
        if place == .rawText { progress = 0 }
        if case .metaContent = attributeKind { element.hasContentValue = true }
    }

    /// Meaning of the attribute that is being read; `plain` outside of one.
    var attributeKind: AttributeKind { attribute.isEmpty ? .plain : .of(attribute, in: element) }

    /// Whether the bytes just read may begin the closing tag of raw text.
    var isInClosingTag: Bool { place == .rawText && progress > 0 }

    /// Returns the tokenizer state that covers two branches, or nil if there is none.
    func joined(with other: Self) -> Self? {
        if self == other { return self }
        guard element == other.element else { return nil }
        if isBetweenNames, other.isBetweenNames {
            var result = self
            result.endAttribute(.boundary)
            return result
        }
        guard place == other.place, attribute == other.attribute, progress == other.progress,
            let value = value.joined(with: other.value)
        else { return nil }
        var result = self
        result.value = value
        return result
    }

    /// Whether the position is inside a tag where a space, `/` or `>` would end the name before it.
    private var isBetweenNames: Bool {
        switch place {
        case .tagName, .tag, .attributeName, .afterAttributeName, .boundary: true
        default: false
        }
    }
}

extension HTMLTokenizer {
    private mutating func openTag(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "/"): place = .closingTagOpen
        case UInt8(ascii: "!"): (place, progress) = (.declaration, 0)
        case UInt8(ascii: "?"): place = .bogusComment
        case UInt8(ascii: "<"): place = .tagOpen
        case _ where byte.isASCIILetter: beginElement(byte, isClosing: false)
        default: place = .text
        }
    }

    private mutating func openClosingTag(_ byte: UInt8) {
        if byte.isASCIILetter {
            beginElement(byte, isClosing: true)
        } else {
            place = byte == UInt8(ascii: ">") ? .text : .bogusComment
        }
    }

    private mutating func beginElement(_ byte: UInt8, isClosing: Bool) {
        element = HTMLElement(name: [byte.lowercased], isClosing: isClosing)
        place = .tagName
    }

    private mutating func inName(_ byte: UInt8) { if !endsName(byte) { element.name.append(byte.lowercased) } }

    private mutating func inTag(_ byte: UInt8) {
        guard !endsName(byte) else { return }
        attribute = [byte.lowercased]
        place = .attributeName
    }

    private mutating func inAttributeName(_ byte: UInt8) {
        if byte.isSpace {
            place = .afterAttributeName
        } else if byte == UInt8(ascii: "=") {
            place = .beforeValue
        } else if !endsName(byte) {
            attribute.append(byte.lowercased)
        }
    }

    private mutating func afterAttributeName(_ byte: UInt8) {
        if byte == UInt8(ascii: "=") {
            place = .beforeValue
        } else if !byte.isSpace {
            endAttribute(.tag)
            inTag(byte)
        }
    }

    private mutating func beforeValue(_ byte: UInt8) throws(Complaint) {
        guard !byte.isSpace else { return }
        value = AttributeValue(attributeKind)
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): place = .quotedValue(byte)
        case UInt8(ascii: ">"): finishTag()
        default:
            place = .unquotedValue
            try inUnquotedValue(byte)
        }
    }

    private mutating func inValue(_ byte: UInt8, endsAt isEnd: Bool) throws(Complaint) {
        guard isEnd else { return value.advance(byte) }
        if case .httpEquiv(let text) = value, text == Array("refresh".utf8) {
            element.isRefresh = true
            endAttribute(.tag)
            if element.hasContentValue { throw .lateRefresh }
        }
        endAttribute(.tag)
    }

    private mutating func inUnquotedValue(_ byte: UInt8) throws(Complaint) {
        let isEnd = byte.isSpace || byte == UInt8(ascii: ">")
        try inValue(byte, endsAt: isEnd)
        if isEnd { inTag(byte) }
    }

    private mutating func atBoundary(_ byte: UInt8) throws(Complaint) {
        guard !endsName(byte) else { return }
        inTag(byte)
        throw .runsOn
    }

    /// Handles a byte that ends a name or the tag; returns false for any other byte.
    private mutating func endsName(_ byte: UInt8) -> Bool {
        if byte == UInt8(ascii: ">") {
            finishTag()
        } else if byte.isSpace || byte == UInt8(ascii: "/") {
            endAttribute(.tag)
        } else {
            return false
        }
        return true
    }

    private mutating func endAttribute(_ next: HTMLPlace) { (attribute, value, place) = ([], .plain, next) }

    private mutating func finishTag() {
        endAttribute(element.holdsRawText ? .rawText : .text)
        progress = 0
        if element.isHeading { isInsideHeading = !element.isClosing }
        element = place == .rawText ? HTMLElement(name: element.name) : HTMLElement()
    }
}

extension HTMLTokenizer {
    private mutating func inDeclaration(_ byte: UInt8) {
        if byte == UInt8(ascii: "-") {
            progress += 1
            if progress == 2 { (place, progress) = (.comment, Self.commentStart) }
        } else {
            (place, progress) = (.bogusComment, 0)
            if byte == UInt8(ascii: ">") { endMarkup() }
        }
    }

    /// Finds the end of a comment by counting the dashes before `>` (13.2.5.43 to 52).
    private mutating func inComment(_ byte: UInt8) {
        switch (byte, progress) {
        case (UInt8(ascii: ">"), 2...): endMarkup()
        case (UInt8(ascii: "-"), Self.commentStart): progress = Self.commentStartDash
        case (UInt8(ascii: "-"), Self.dashesAndBang): progress = 1
        case (UInt8(ascii: "-"), _): progress = min(progress + 1, 2)
        case (UInt8(ascii: "!"), 2): progress = Self.dashesAndBang
        default: progress = 0
        }
    }

    /// `progress` after `--!`, after which `>` ends the comment as it does after `--`.
    private static let dashesAndBang = 3
    /// `progress` after `<!--`: `<!-->` is a whole comment, `<!--!>` is not.
    private static let commentStart = 4
    /// `progress` after `<!---`: `<!--->` is a whole comment too.
    private static let commentStartDash = 5

    private mutating func endMarkup() { (place, progress) = (.text, 0) }

    /// Finds `</name` followed by a byte that ends a name (13.2.5.12 to 14).
    private mutating func inRawText(_ byte: UInt8) {
        let end = Array("</".utf8) + element.name
        if progress == end.count, byte.isSpace || byte == UInt8(ascii: "/") || byte == UInt8(ascii: ">") {
            progress = 0
            element.isClosing = true
            inTag(byte)
        } else if progress < end.count, byte.lowercased == end[progress] {
            progress += 1
        } else {
            progress = byte == UInt8(ascii: "<") ? 1 : 0
        }
    }
}
