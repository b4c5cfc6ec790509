import Bytes
import HTTP
import Templates
import Web

/// The frame of the sample app: another look, since it is another app.
struct SampleFrame: Sendable {
    let title: Words
    let assets: AssetLinks
    let appName: String
}

/// A page of the sample app.
protocol SamplePage: View, SendableMetatype {
    var frame: SampleFrame { get }
}

extension SamplePage {
    static var frameFields: Fields<Self> {
        Fields<Self>()
            .text("lang") { _ in "en" }
            .words("title") { $0.frame.title }
            .group("assets", AssetLinks.fields) { $0.frame.assets }
            .text("appName") { $0.frame.appName }
            .text("homeURL") { _ in SampleApp.home.link() }
            .text("signInURL") { _ in SampleApp.start.link() }
    }
}

/// Before signing in: the button, and who to sign in as.
struct SampleHomePage: SamplePage {
    static let template = "sample/home"
    static let fields =
        frameFields
        .group("email", CopyView.fields) { CopyView(Phrase("sample.app.copy.email"), $0.registration.email) }
        .group("password", CopyView.fields) {
            CopyView(Phrase("sample.app.copy.password"), $0.registration.password)
        }
        .optionalWords("error") { $0.error?.asWords }

    let frame: SampleFrame
    let registration: SampleApp.Registration
    let error: Phrase?
}

/// After signing in: everything the app received.
struct SampleResultPage: SamplePage {
    static let template = "sample/result"
    static let fields =
        frameFields
        .words("greeting") { $0.greeting.asWords }
        .flag("firstTime") { $0.user != nil }
        .optionalGroup("user", CopyView.fields) {
            $0.user.map { CopyView(Phrase("sample.app.copy.user"), $0) }
        }
        .list("claims", Claim.fields) { $0.redemption.claims.map(Claim.init) }
        .group("answer", CopyView.fields) { CopyView(Phrase("sample.app.copy.answer"), $0.redemption.answer) }

    /// One claim of the id_token.
    struct Claim: Sendable {
        let name: String
        let value: String

        static let fields = Fields<Claim>()
            .text("name") { $0.name }
            .text("value") { $0.value }
            .optionalWords("note") { claim in
                noted.contains(claim.name) ? Phrase(in: "sample.app.claim", claim.name).asWords : nil
            }

        private static let noted: Set = ["sub", "is_private_email", "email_verified", "at_hash"]
    }

    let frame: SampleFrame
    let redemption: Provider.Redemption
    /// The `user` parameter as it came, unsigned; Pippin sends it once.
    let user: String?

    private var greeting: Phrase {
        let name = user.flatMap { try? JSON.decode(JSONValue.self, from: Array($0.utf8)) }?["name"]
        let given = name?["firstName"]?.string.flatMap { $0.isEmpty ? nil : $0 }
        guard let called = given ?? redemption.givenEmail else {
            return Phrase("sample.app.result.greeting.nameless")
        }
        return Phrase("sample.app.result.greeting", ["name": called])
    }
}
