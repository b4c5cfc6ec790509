import Bytes
import HTTP
import Templates
import Web

/// The frame of the sample app: another look, since it is another app.
struct SampleFrame: Sendable {
    let title: String
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
            .text("title") { $0.frame.title }
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
        .group("email", CopyView.fields) { CopyView("e-mail address", $0.registration.email) }
        .group("password", CopyView.fields) { CopyView("password", $0.registration.password) }
        .optionalText("error") { $0.error }

    let frame: SampleFrame
    let registration: SampleApp.Registration
    let error: String?
}

/// After signing in: everything the app received.
struct SampleResultPage: SamplePage {
    static let template = "sample/result"
    static let fields =
        frameFields
        .text("greeting") { $0.greeting }
        .flag("firstTime") { $0.user != nil }
        .optionalGroup("user", CopyView.fields) { $0.user.map { CopyView("user", $0) } }
        .list("claims", Claim.fields) { $0.redemption.claims.map(Claim.init) }
        .group("answer", CopyView.fields) { CopyView("token answer", $0.redemption.answer) }

    /// One claim of the id_token.
    struct Claim: Sendable {
        let name: String
        let value: String

        static let fields = Fields<Claim>()
            .text("name") { $0.name }
            .text("value") { $0.value }
            .optionalText("note") { Self.notes[$0.name] }

        private static let notes = [
            "sub": "The same at every sign-in, for every app of the team",
            "is_private_email": "A relay address: the person hid their own",
            "email_verified": "Whether the person has shown that mail reaches them",
            "at_hash": "Binds the token to the access token beside it",
        ]
    }

    let frame: SampleFrame
    let redemption: Provider.Redemption
    /// The `user` parameter as it came, unsigned; Pippin sends it once.
    let user: String?

    private var greeting: String {
        let name = user.flatMap { try? JSON.decode(JSONValue.self, from: Array($0.utf8)) }?["name"]
        if let given = name?["firstName"]?.string, !given.isEmpty { return "Hello \(given)" }
        return redemption.givenEmail.map { "Hello \($0)" } ?? "Hello"
    }
}
