import Core

// Messages about URLs, domains and e-mail addresses.
extension ValidationError {
    var addressPhrase: Message {
        switch self {
        case .addressCharacter("\\"): Message("console.refusals.url.backslash")
        case .addressCharacter(let scalar): Message("console.refusals.url.character", ["character": Self.name(scalar)])
        case .percentEscape: Message("console.refusals.url.percent")
        case .userInfo: Message("console.refusals.url.user")
        case .fragment: Message("console.refusals.url.fragment")
        case .port(let port): Message("console.refusals.url.port", ["port": port])
        case .ownAddress(let host): Message("console.refusals.url.own", ["host": host])
        case .outsideDomains(let host): Message("console.refusals.url.outside-domains", ["host": host])
        case .scheme(let scheme): Message("console.refusals.url.scheme", ["scheme": scheme])
        case .mixedCaseScheme(let scheme):
            Message("console.refusals.url.mixed-case-scheme", ["scheme": scheme, "lower": scheme.lowercased()])
        case .unencrypted(let host): Message("console.refusals.url.unencrypted", ["host": host])
        case .notAbsolute: Message("console.refusals.url.not-absolute")
        default: hostPhrase
        }
    }

    private var hostPhrase: Message {
        switch self {
        case .hostName(""): Message("console.refusals.host.missing")
        case .hostName(let host): Message("console.refusals.host.name", ["host": host])
        case .ipAddress(let host): Message("console.refusals.host.ip", ["host": host])
        case .loopbackOutsideSandbox(let host): Message("console.refusals.host.loopback", ["host": host])
        case .loopbackOverHTTPS(let host): Message("console.refusals.host.loopback-https", ["host": host])
        case .domainWithScheme: Message("console.refusals.domain.scheme")
        case .wildcard: Message("console.refusals.domain.wildcard")
        default: mailPhrase
        }
    }

    private var mailPhrase: Message {
        switch self {
        case .sourceTaken(let source): Message("console.refusals.email.taken", ["source": source])
        case .selector: Message("console.refusals.email.selector")
        case .selectorWithDomain(let selector):
            Message("console.refusals.email.selector-domain", ["selector": selector])
        default: Message("console.refusals.email.address")
        }
    }
}
