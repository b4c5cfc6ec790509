import Directory
import Domain
import Tenancy
import Web

/// An authenticated console account: a user of the system team with its session and browser.
struct Account: Sendable {
    let session: Session
    /// Value of the session cookie.
    let sessionToken: SessionToken
    /// Value of the browser cookie: the secret from which its form tokens are derived.
    let browser: String
    let isNewBrowser: Bool
    let rights: AccountRights

    var subject: Subject { session.user.subject }
    var isOperator: Bool { rights.isOperator }

    var person: PersonView { PersonView(name: session.user.name.full, email: session.user.email?.rawValue) }
}
