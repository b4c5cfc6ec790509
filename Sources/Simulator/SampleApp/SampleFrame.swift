import Core
import Crypto
import HTTP
import SignIn
import Templates

/// Frame of the sample app's pages, which differ from Pippin's because it is another app.
struct SampleFrame: PageFrame {
    let title: LocalizedText
    let assets: AssetLinks
    let appName: String

    static func declare<Page: FramedPage<Self>>(in fields: inout Fields<Page>) {
        fields.text("appName") { $0.frame.appName }
        fields.text("homeURL") { _ in SampleApp.home.link() }
        fields.text("signInURL") { _ in SampleApp.start.link() }
    }
}

/// Page before the sign-in: the button, and the account to use.
struct SampleHomePage: FramedPage {
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
struct SampleResultPage: FramedPage {
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
