import Directory
import Domain
import Tenancy
import Web

/// A signed-in console account: a user of the system team, in the browser it signed in with.
struct Account: Sendable {
    let session: Session
    /// What the browser's session cookie holds.
    let sessionToken: SessionToken
    /// What the browser's other cookie holds: the secret its form tokens are made of.
    let browser: String
    let isNewBrowser: Bool
    let rights: AccountRights

    var subject: Subject { session.user.subject }
    var isOperator: Bool { rights.isOperator }

    var person: PersonView {
        PersonView(name: session.user.name.full, email: session.user.email?.rawValue)
    }
}
