import Core
import Directory
import HTTP
import Platform
import Registry
import SignIn

/// A request of a console account to a page outside any team.
struct AccountContext: Sendable {
    let request: Request
    let site: Site
    let server: ServerContext
    let account: Account
    /// Message about the last change, to be shown once.
    let flash: Flash?

    /// Form token (against cross-site request forgery) for the forms on the page.
    var formToken: String { site.formTokens.token(for: account.browser) }
    var actor: Actor { .member(account.subject) }
    var origin: Origin { request.auditOrigin }

    /// Title, assets and navigation of a page outside any team.
    func frame(_ title: any LocalizedTextConvertible) -> PlainFrame {
        PlainFrame(title: title.localizedText, assets: site.assets, chrome: PlainChrome(self))
    }

    /// Redirects with GET after a successful form; the next page shows `flash`.
    func redirect(to path: String, saying flash: Flash? = nil) -> Response {
        var response = Response.redirect(to: path)
        if let flash { response.set(flash.cookie(for: account.browser, site)) }
        return response
    }
}

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

    var person: PersonView { PersonView(name: session.user.name.full, email: session.user.email?.shown) }
}
