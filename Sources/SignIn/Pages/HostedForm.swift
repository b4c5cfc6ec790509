/// What every page with a form begins with: its frame, and where and with which token the form is sent.
struct HostedForm: Sendable {
    let frame: HostedFrame
    let action: String
    /// Token against cross-site request forgery; see `FormTokens`.
    let token: String
    /// Address of the page that a link below the form leads back to; nil if there is none.
    var backURL: String?
    /// Sealed address of a sign-in anew, in a form of an interaction; see `Site.restart`.
    var restart: String?
}
