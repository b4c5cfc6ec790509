import Bytes

// What is wrong with a URL, a domain or an e-mail address.
extension Refusal {
    var addressPhrase: Phrase {
        switch self {
        case .addressCharacter("\\"): Phrase("console.refusals.url.backslash")
        case .addressCharacter(let scalar):
            Phrase("console.refusals.url.character", ["character": Self.name(scalar)])
        case .percentEscape: Phrase("console.refusals.url.percent")
        case .userInfo: Phrase("console.refusals.url.user")
        case .fragment: Phrase("console.refusals.url.fragment")
        case .port(let port): Phrase("console.refusals.url.port", ["port": port])
        case .ownAddress(let host): Phrase("console.refusals.url.own", ["host": host])
        case .outsideDomains(let host): Phrase("console.refusals.url.outside-domains", ["host": host])
        case .scheme(let scheme): Phrase("console.refusals.url.scheme", ["scheme": scheme])
        case .mixedCaseScheme(let scheme):
            Phrase(
                "console.refusals.url.mixed-case-scheme",
                ["scheme": scheme, "lower": scheme.lowercased()]
            )
        case .unencrypted(let host): Phrase("console.refusals.url.unencrypted", ["host": host])
        case .notAbsolute: Phrase("console.refusals.url.not-absolute")
        default: hostPhrase
        }
    }

    private var hostPhrase: Phrase {
        switch self {
        case .hostName(""): Phrase("console.refusals.host.missing")
        case .hostName(let host): Phrase("console.refusals.host.name", ["host": host])
        case .ipAddress(let host): Phrase("console.refusals.host.ip", ["host": host])
        case .loopbackOutsideSandbox(let host): Phrase("console.refusals.host.loopback", ["host": host])
        case .loopbackOverHTTPS(let host): Phrase("console.refusals.host.loopback-https", ["host": host])
        case .domainWithScheme: Phrase("console.refusals.domain.scheme")
        case .wildcard: Phrase("console.refusals.domain.wildcard")
        default: mailPhrase
        }
    }

    private var mailPhrase: Phrase {
        switch self {
        case .sourceTaken(let source): Phrase("console.refusals.email.taken", ["source": source])
        case .selector: Phrase("console.refusals.email.selector")
        case .selectorWithDomain(let selector):
            Phrase("console.refusals.email.selector-domain", ["selector": selector])
        default: Phrase("console.refusals.email.address")
        }
    }
}
