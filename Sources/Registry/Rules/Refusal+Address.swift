// Words for what is wrong with a URL, a domain or an e-mail address.
extension Refusal {
    var addressSentence: String? {
        switch self {
        case .notAbsolute, .scheme, .mixedCaseScheme, .unencrypted: schemeSentence
        case .addressCharacter("\\"):
            "A backslash is not allowed in a URL: browsers read it as a slash, servers do not."
        case .addressCharacter(let scalar):
            "\(Self.name(scalar)) is not allowed in a URL; write it percent-encoded, and a host name in its xn-- form."
        case .percentEscape: "A percent sign in a URL is followed by two hexadecimal digits."
        case .userInfo: "A URL with a user name or password (anything before an @) is not allowed."
        case .fragment: "A fragment (# and what follows) is not allowed: it never reaches a server."
        case .port(let port): "\"\(port)\" is not a port: 1 to 65535, without leading zeros."
        case .hostName(""): "The host is missing."
        case .domainWithScheme:
            "Only the host name belongs here, such as example.com: no scheme, port or path."
        case .wildcard: "A wildcard is not needed: a domain covers every host below it."
        case .emailAddress: "This is not an e-mail address of the form name@example.com."
        case .sourceTaken(let source): "\(source) is an e-mail source of this team already."
        case .selector:
            "A DKIM selector has letters, digits, hyphens, underscores and dots only, such as s1 or 2026-11."
        case .selectorWithDomain(let selector):
            "Only the selector belongs here, which is what stands before ._domainkey: \(selector)."
        case .ownAddress(let host):
            "\(host) is Pippin's own address; a return URL leads to the app."
        case .outsideDomains(let host):
            "The host \(host) is neither one of this Service ID's domains nor below one; add its domain."
        default: hostSentence
        }
    }

    private var schemeSentence: String {
        switch self {
        case .scheme(let scheme): "The scheme \(scheme) is not allowed: a URL begins with https://."
        case .mixedCaseScheme(let scheme):
            "The scheme is written in lower case (\(scheme.lowercased())://, not \(scheme)://), because URLs are "
                + "compared byte for byte."
        case .unencrypted(let host):
            "http:// is for the loopback addresses of a sandbox team; \(host) needs https://."
        default: "This is not an absolute URL: it begins with https:// and names a host."
        }
    }

    private var hostSentence: String? {
        switch self {
        case .hostName(let host):
            "\"\(host)\" is not a host name: at least two parts joined by dots, of letters, digits and inner hyphens, "
                + "at most 63 characters each and 253 together."
        case .ipAddress(let host): "\(host) is an IP address; a host name is needed."
        case .loopbackOutsideSandbox(let host):
            "\(host) is this machine's own address, which only a team in sandbox mode may register."
        case .loopbackOverHTTPS(let host):
            "\(host) is a loopback address, which a sandbox team registers with http://; https:// needs a host name."
        default: nil
        }
    }
}
