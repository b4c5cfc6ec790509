import Core

/// The host of a URL, or a domain, as a name or a loopback address.
enum Host: Hashable {
    /// A host name in lower case.
    case name(String)
    /// `localhost`, a name below it (RFC 6761 section 6.3), 127.0.0.0/8 or `[::1]`.
    case loopback(String)

    var text: String {
        switch self {
        case .name(let text), .loopback(let text): text
        }
    }

    /// Parses and classifies a host.
    ///
    /// A text whose last label is a number is never a name, because browsers treat it as an IPv4 address in any
    /// notation (WHATWG URL, "ends in a number").
    init(_ text: String) throws(ValidationError) {
        let text = text.lowercased()
        let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        if text.hasPrefix("[") || text.utf8.contains(UInt8(ascii: ":")) {
            guard text == "[::1]" else { throw .ipAddress(text) }
            self = .loopback(text)
        } else if let last = labels.last, Self.isNumber(last) {
            guard Self.isLoopback(labels) else { throw .ipAddress(text) }
            self = .loopback(text)
        } else if !labels.allSatisfy(Self.isLabel) || text.utf8.count > 253 {
            throw .hostName(text)
        } else if labels.last?.elementsEqual("localhost".utf8) == true {
            self = .loopback(text)
        } else if labels.count < 2 {
            throw .hostName(text)
        } else {
            self = .name(text)
        }
    }

    private typealias Label = Substring.UTF8View.SubSequence

    /// Whether it is a label of a host name (RFC 1123 section 2.1 and RFC 1035 section 2.3.4).
    private static func isLabel(_ label: Label) -> Bool {
        (1...63).contains(label.count) && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
            && label.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "-") }
    }

    private static func isNumber(_ label: Label) -> Bool {
        if label.isEmpty { return false }
        let isHexadecimal = label.starts(with: "0x".utf8) && label.dropFirst(2).allSatisfy { Hex.value(of: $0) != nil }
        return label.allSatisfy(\.isASCIIDigit) || isHexadecimal
    }

    /// Whether the labels are four decimal numbers without leading zeros, the first of them 127.
    private static func isLoopback(_ labels: [Label]) -> Bool {
        labels.count == 4 && labels[0].elementsEqual("127".utf8)
            && labels.allSatisfy { label in
                guard label.allSatisfy(\.isASCIIDigit), label.count <= 3, let number = Int(Substring(label)) else {
                    return false
                }
                return number <= 255 && String(number).utf8.count == label.count
            }
    }
}

/// The hosts that a team may register.
public struct HostPolicy: Sendable {
    /// Whether a host, without a port, is an address or a name of this machine only.
    public static func isLoopback(_ host: String) -> Bool {
        if case .loopback? = try? Host(host) { true } else { false }
    }

    /// Host names over https: the policy of a production team.
    public static let hostNames = HostPolicy(allowsLoopback: false)
    /// Also loopback addresses over http: the policy of a team in sandbox mode.
    public static let hostNamesAndLoopback = HostPolicy(allowsLoopback: true)

    let allowsLoopback: Bool
    /// Where Pippin itself answers, which no team may register.
    private(set) var own: OwnAddress?

    private init(allowsLoopback: Bool) { self.allowsLoopback = allowsLoopback }

    /// The policy that also excludes Pippin's own address.
    ///
    /// A return URL there would deliver an app's codes to Pippin's own pages, and a notification would call them.
    ///
    public func apart(from own: OwnAddress?) -> HostPolicy {
        var policy = self
        policy.own = own
        return policy
    }
}
