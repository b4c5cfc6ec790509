extension DefaultStringInterpolation {
    /// Appends what an error says: the one way in which errors come before people, on pages, in logs and at the terminal.
    public mutating func appendInterpolation(describing error: any Error) { appendLiteral(ErrorWords.text(of: error)) }
}

/// What errors say that have no description of their own: their names and values in words, without Swift's syntax.
enum ErrorWords {
    static func text(of value: Any) -> String {
        let mirror = Mirror(reflecting: value)
        let children = mirror.children
        if [.collection, .set, .dictionary].contains(mirror.displayStyle) {
            return children.map { text(of: $0.value) }.joined(separator: ", ")
        }
        if let own = value as? any CustomStringConvertible { return own.description }
        switch mirror.displayStyle {
        case .optional: return children.first.map { text(of: $0.value) } ?? "none"
        case .enum:
            guard let payload = children.first else { return words("\(value)") }
            return "\(words(payload.label ?? "")): \(text(of: payload.value))"
        case .tuple: return members(children)
        default:
            let name = words("\(type(of: value))")
            return children.isEmpty ? name : "\(name): \(members(children))"
        }
    }

    private static func members(_ children: Mirror.Children) -> String {
        children.map { label, value in
            // Values without a label are called .0, .1 and so on.
            guard let label, !label.hasPrefix(".") else { return text(of: value) }
            return "\(words(label)) \(text(of: value))"
        }.joined(separator: ", ")
    }

    /// Takes a name of Swift apart: `noSigningKey` is "no signing key".
    private static func words(_ name: String) -> String {
        var result = ""
        var followsSmall = false
        for scalar in name.unicodeScalars {
            let isCapital = ("A"..."Z").contains(scalar)
            if isCapital, followsSmall { result += " " }
            result += scalar.properties.lowercaseMapping
            followsSmall = !isCapital
        }
        return result
    }
}
