import Core
import Crypto
import HTTP
import SignIn
import Templates

/// Frame of the sample app's pages, which differ from Pippin's because it is another app.
struct SampleFrame: Sendable {
    let title: LocalizedText
    let assets: AssetLinks
    let appName: String
}

/// A page of the sample app.
protocol SamplePage: View, SendableMetatype { var frame: SampleFrame { get } }

extension SamplePage {
    static var frameFields: Fields<Self> {
        Fields<Self> {
            $0.text("lang") { _ in "en" }
            $0.words("title") { $0.frame.title }
            $0.group("assets", AssetLinks.fields) { $0.frame.assets }
            $0.text("appName") { $0.frame.appName }
            $0.text("homeURL") { _ in SampleApp.home.link() }
            $0.text("signInURL") { _ in SampleApp.start.link() }
        }
    }
}

/// Page before the sign-in: the button, and the account to use.
struct SampleHomePage: SamplePage {
    static let template = "sample/home"
    static let fields = frameFields.with {
        $0.group("email", CopyView.fields) { CopyView(Message("sample.app.copy.email"), $0.registration.email) }
        $0.group("password", CopyView.fields) {
            CopyView(Message("sample.app.copy.password"), $0.registration.password)
        }
        $0.optionalWords("error") { $0.error?.localizedText }
    }

    let frame: SampleFrame
    let registration: SampleApp.Registration
    let error: Message?
}

/// Page after the sign-in: everything the app received.
struct SampleResultPage: SamplePage {
    static let template = "sample/result"
    static let fields = frameFields.with {
        $0.words("greeting") { $0.greeting.localizedText }
        $0.flag("firstTime") { $0.user != nil }
        $0.optionalGroup("user", CopyView.fields) { $0.user.map { CopyView(Message("sample.app.copy.user"), $0) } }
        $0.list("claims", Claim.fields) { $0.redemption.claims.map(Claim.init) }
        $0.group("answer", CopyView.fields) { CopyView(Message("sample.app.copy.answer"), $0.redemption.answer) }
    }

    /// One claim of the ID token.
    struct Claim: Sendable {
        let name: String
        let value: String

        static let fields = Fields<Claim> {
            $0.text("name") { $0.name }
            $0.text("value") { $0.value }
            $0.optionalWords("note") { claim in
                noted.contains(claim.name) ? Message(in: "sample.app.claim", claim.name).localizedText : nil
            }
        }

        private static let noted: Set = ["sub", "is_private_email", "email_verified", "at_hash"]
    }

    let frame: SampleFrame
    let redemption: Provider.Redemption
    /// The `user` parameter as received, unsigned; Pippin sends it only once.
    let user: String?

    private var greeting: Message {
        let name = user.flatMap { try? JSON.decode(JSONValue.self, from: Array($0.utf8)) }?["name"]
        let given = name?["firstName"]?.string.flatMap { $0.isEmpty ? nil : $0 }
        guard let called = given ?? redemption.givenEmail else { return Message("sample.app.result.greeting.nameless") }
        return Message("sample.app.result.greeting", ["name": called])
    }
}

/// Self-contained `state` values, which an app without a store and cookies can verify as its own.
struct SignedStates: Sendable {
    private static let lifetime = Duration.seconds(1200)

    private let tokens: OpaqueToken

    /// A state with its nonce.
    struct State: Sendable {
        let text: String
        let nonce: String
    }

    init(keyRing: KeyRing) { tokens = OpaqueToken(prefix: "s", keys: keyRing.deriveAll(purpose: "sample-app-states")) }

    func make(at moment: Timestamp) -> State {
        let random = RandomSource.system.bytes(16)
        var payload = random
        for shift in stride(from: 56, through: 0, by: -8) {
            payload.append(UInt8(truncatingIfNeeded: moment.microseconds >> Int64(shift)))
        }
        return State(text: tokens.mint(payload: payload), nonce: Self.nonce(random))
    }

    /// The state of a sign-in, with its nonce; nil if it is invalid or older than its lifetime.
    func verify(_ text: String?, at moment: Timestamp) -> State? {
        guard let text, let payload = tokens.open(text), payload.count == 24 else { return nil }
        let began = Timestamp(microseconds: payload[16...].reduce(0) { $0 << 8 | Int64($1) })
        guard moment - began < Self.lifetime else { return nil }
        return State(text: text, nonce: Self.nonce(Array(payload.prefix(16))))
    }

    private static func nonce(_ random: [UInt8]) -> String { Base64URL.encode(Array(SHA256.hash(random).prefix(16))) }
}
