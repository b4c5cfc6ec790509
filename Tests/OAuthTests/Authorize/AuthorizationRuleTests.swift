import Core
import Platform
import Registry
import Testing

@testable import OAuth
@testable import TestTeams

/// One rule for authorization requests: requests that keep it, and requests that break it and no rule before it.
struct Rule: Sendable, CustomTestStringConvertible {
    let name: String
    /// What the refusals say, each of them once at least.
    let causes: Set<RefusalCause>
    var client: @Sendable (_ isKept: Bool) -> Client = { _ in .sample() }
    let kept: [Changes]
    let broken: [Changes]
    var error = OAuthError.Code.invalidRequest

    var testDescription: String { name }
}

extension Client {
    static func sample(requiresPKCE: Bool = false, isEnabled: Bool = true, isProven: Bool = true) -> Client {
        Client(
            id: .web, primaryAppID: .app, name: "Web",
            returnURLs: [TestTeams.callback, TestTeams.queryCallback].map(ReturnURL.init(stored:)),
            unprovenURLs: isProven ? [] : [ReturnURL(stored: TestTeams.callback)], requiresPKCE: requiresPKCE,
            isEnabled: isEnabled, issuesAsApple: false, writesStrings: false)
    }
}

/// Security cases V1 and V22, points P9 and P16 of the conformance list.
@Suite struct AuthorizationRuleTests {
    /// The challenge of RFC 7636, appendix B.
    static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    static let rules: [Rule] = [
        Rule(
            name: "the app may sign people in", causes: [.clientDisabled],
            client: { isKept in .sample(isEnabled: isKept) }, kept: [[:]], broken: [[:], ["redirect_uri": nil]],
            error: .invalidClient),
        Rule(
            name: "the return URL is registered", causes: [.returnURLMissing, .returnURLUnregistered],
            kept: [["redirect_uri": TestTeams.callback], ["redirect_uri": TestTeams.queryCallback]],
            broken: unregistered.map { ["redirect_uri": $0] } + [["redirect_uri": nil], ["redirect_uri": ""]]),
        Rule(
            name: "the return URL lies on a verified domain where the team asks for one", causes: [.domainUnverified],
            client: { isKept in .sample(isProven: isKept) },
            kept: [["redirect_uri": TestTeams.callback], ["redirect_uri": TestTeams.queryCallback]],
            broken: [["redirect_uri": TestTeams.callback]]),
        Rule(
            name: "the response type is supported", causes: [.responseType],
            kept: [["response_type": "code"], ["response_type": "code id_token"], ["response_type": "id_token code"]],
            broken: [
                nil, "", "id_token", "token", "code token", "Code", "code,id_token", "none", "code id_token token",
            ].map { ["response_type": $0] }),
        Rule(
            name: "the response mode suits the response type", causes: [.responseMode, .idTokenInQuery],
            kept: [
                ["response_mode": "query"], ["response_mode": "fragment"], ["response_mode": "form_post"],
                ["response_type": "code id_token"], ["response_type": "code id_token", "response_mode": "form_post"],
                ["response_type": "code id_token", "response_mode": "fragment"],
                ["response_type": "code id_token", "response_mode": "web_message"], ["response_mode": "web_message"],
            ],
            broken: [
                ["response_type": "code id_token", "response_mode": "query"],
                ["response_type": "id_token code", "response_mode": "query"], ["response_mode": "FORM_POST"],
                ["response_mode": "form_post.jwt"], ["response_mode": "web"],
            ]),
        Rule(
            name: "a scope is answered by form_post", causes: [.scopeNeedsFormPost],
            kept: [
                ["scope": "name email", "response_mode": "form_post"], ["scope": "openid"], ["scope": ""],
                ["scope": "name email", "response_mode": "web_message"], ["scope": "  "],
                ["scope": "openid", "response_mode": "query"],
            ],
            broken: [
                ["scope": "name"], ["scope": "email"], ["scope": "openid email"],
                ["scope": "name email", "response_mode": "query"], ["scope": "name", "response_mode": "fragment"],
                ["scope": "email", "response_type": "code id_token"],
            ]),
        Rule(
            name: "the scopes are name and email", causes: [.scopeUnknown],
            kept: ["name", "email", "email name", "openid name email"].map(formPost),
            broken: ["name,email", "profile", "Name", "openid name phone", "name\temail"].map(formPost),
            error: .invalidScope),
        Rule(
            name: "what goes back to the app is one line", causes: [.parameterControl],
            kept: [["state": " a b", "nonce": "a\nb"], ["state": "ü\u{2028}"]],
            broken: ["\n", "a\r\nb", "a\r", "\ta", "\u{7F}"].map { ["state": $0] }),
        Rule(
            name: "the code challenge is S256", causes: [.challengeMissing, .challengeMethod, .challengeMalformed],
            kept: [[:], ["code_challenge": challenge, "code_challenge_method": "S256"]],
            broken: [
                ["code_challenge": challenge], ["code_challenge": challenge, "code_challenge_method": "plain"],
                ["code_challenge": challenge, "code_challenge_method": "s256"], ["code_challenge_method": "S256"],
                ["code_challenge": "short", "code_challenge_method": "S256"],
                ["code_challenge": challenge + "=", "code_challenge_method": "S256"],
                ["code_challenge": challenge + "A", "code_challenge_method": "S256"],
            ]),
        Rule(
            name: "PKCE is used where it is required", causes: [.pkceRequired],
            client: { _ in .sample(requiresPKCE: true) },
            kept: [["code_challenge": challenge, "code_challenge_method": "S256"]],
            broken: [[:], ["code_challenge": ""]]),
    ]

    /// What differs from a registered return URL as little as an attacker could wish.
    static let unregistered = [
        "https://acme.example/callback/", "https://acme.example/Callback", "https://ACME.example/callback",
        "HTTPS://acme.example/callback", "http://acme.example/callback", "https://acme.example/callback#",
        "https://acme.example/callback#x", "https://acme.example/callback?", "https://acme.example/callback?a=b",
        "https://acme.example/callback?type=appleid&a=b", "https://acme.example/callback?type=AppleID",
        "https://acme.example@evil.example/callback", "https://acme.example/callback@evil.example/",
        "https://good@evil.example/", "https://acme.example:443/callback", "https://www.acme.example/callback",
        "https://acme.example/./callback", "https://acme.example//callback", "https://acme.example/%63allback",
        "https://acme.example\\@evil.example/callback", " https://acme.example/callback",
        "https://acme.example/callback ", "https://acme.example/callback\n",
        "https://acme.example.evil.example/callback", "//acme.example/callback", "/callback", "javascript:alert(1)",
        "https://acme.example/callback,https://evil.example/",
    ]

    private static func formPost(_ scope: String) -> Changes { ["scope": scope, "response_mode": "form_post"] }

    @Test(arguments: rules) func `P9, P16: a request that keeps the rule passes all of them`(rule: Rule) {
        for changes in rule.kept {
            #expect(throws: Never.self, "\(changes)") { try Self.judge(changes, rule.client(true)) }
        }
    }

    @Test(arguments: rules) func `P9: a request that breaks the rule is refused by it`(rule: Rule) {
        var causes: Set<RefusalCause> = []
        for changes in rule.broken {
            let refusal = #expect(throws: AuthorizationRefusal.self, "\(changes)") {
                try Self.judge(changes, rule.client(false))
            }
            #expect(refusal?.error == rule.error, "\(changes)")
            if let refusal { causes.insert(refusal.cause) }
        }
        #expect(causes == rule.causes)
    }

    @Test func `V1, V22: a return URL that is nearly right comes with a hint`() throws {
        let refusal = #expect(throws: AuthorizationRefusal.self) {
            try Self.judge(["redirect_uri": TestTeams.callback + "/"], .sample())
        }
        let hint = try #require(refusal?.hint)
        #expect(hint.contains("trailingSlash") && hint.contains(TestTeams.callback))
    }

    private static func judge(_ changes: Changes, _ client: Client) throws {
        _ = try AuthorizationRequest(try ProtocolParameters(Engine.request(), changes), to: client, nil)
    }
}
