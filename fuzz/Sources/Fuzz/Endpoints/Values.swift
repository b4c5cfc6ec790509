import Core
import Crypto
import OAuth
import Simulator

@testable import pippin

/// Valid values for a client and a user, created on demand.
final class Values {
    let site: Site
    private let key: P256SigningKey
    private let keyID: String
    private let clientID = "example.acme.web"
    private var tokens: [String: String] = [:]
    private let apple: TeamSnapshot

    init(_ site: Site) throws {
        self.site = site
        key = site.demo.registration.key
        keyID = site.demo.registration.keyID
        guard let apple = site.snapshot(of: "APPLESIM00") else { fatalError("no stand-in for Apple") }
        self.apple = apple
    }

    /// Deletes values that may have been used.
    func forget() { tokens = [:] }

    /// A valid client secret.
    var secret: String {
        let now = Timestamp.now().seconds
        return signed(
            Array(
                """
                {"iss":"\(Site.team)","iat":\(now),"exp":\(now + 300),"aud":"\(site.base)","sub":"\(clientID)"}
                """.utf8), byApple: false)
    }

    /// A code or token of the user Ada.
    func token(_ name: String) -> String {
        if let known = tokens[name] { return known }
        if name == "code" { tokens["code"] = code() } else { redeem() }
        site.log.secrets = site.secrets + tokens.values
        return tokens[name] ?? ""
    }

    /// A JWT of these claims, with the header before ` ~ ` if there is one.
    func signed(_ argument: [UInt8], byApple: Bool) -> String {
        let mark = Array(" ~ ".utf8)
        let (header, claims): ([UInt8]?, [UInt8]) =
            argument.firstRange(of: mark).map { (Array(argument[..<$0.lowerBound]), Array(argument[$0.upperBound...])) }
            ?? (nil, argument)
        if byApple, header == nil { return (try? apple.sign(claims, at: .now())) ?? "" }
        let head = header ?? Array("{\"alg\":\"ES256\",\"kid\":\"\(keyID)\"}".utf8)
        let part = Base64URL.encode(head) + "." + Base64URL.encode(claims)
        return part + "." + Base64URL.encode((try? key.sign(Array(part.utf8).span)) ?? [])
    }
}

// Signing in as the app and the user do.
extension Values {
    private func code() -> String {
        var jar = Jar(of: .ada, at: site)
        let query = FormCoding.encode(
            [
                ("client_id", clientID), ("redirect_uri", site.demo.registration.returnURL), ("response_type", "code"),
                ("response_mode", "form_post"), ("scope", "name email"), ("state", "s"), ("nonce", "n"),
            ].map { (name: $0.0, value: $0.1) })
        var answer = ask("GET /t/\(Site.team)/auth/authorize?\(query)", &jar)
        for _ in 0..<6 {
            if let next = answer.values(of: "location").first {
                answer = ask("GET \(next)", &jar)
            } else if let form = HTML.forms(in: answer.text).first {
                if let code = form.fields.first(where: { $0.name == "code" }) { return code.value }
                answer = ask(
                    "POST \(form.action)", &jar, form.body(choosing: ["decision": "continue", "email_choice": "share"]))
            }
        }
        return ""
    }

    private func redeem() {
        var jar = Jar(of: .nobody, at: site)
        let body = FormCoding.encode(
            [
                ("client_id", clientID), ("client_secret", secret), ("grant_type", "authorization_code"),
                ("code", code()), ("redirect_uri", site.demo.registration.returnURL),
            ].map { (name: $0.0, value: $0.1) })
        let answer = ask("POST /t/\(Site.team)/auth/token", &jar, body)
        let json = try? JSON.decode(JSONValue.self, from: answer.body)
        for (name, member) in [("access", "access_token"), ("refresh", "refresh_token"), ("id_token", "id_token")] {
            tokens[name] = json?[member]?.string
        }
    }

    private func ask(_ line: String, _ jar: inout Jar, _ body: String = "") -> Answer {
        let script = Script(line: Array(line.utf8), fields: [], body: Array(body.utf8))
        var expansion = Expansion(values: self, jar: jar, of: [])
        let answer = site.client.send(script.message(expanding: &expansion, at: site))
        jar.keep(answer)
        return answer
    }
}
