public import Core
import Directory
public import HTTP
import OAuth
import Platform
import Templates

/// The hosted pages with their templates.
struct HostedPages: Sendable {
    let site: Site
    private let signIn: LivePage<SignInPage>
    private let consent: LivePage<ConsentPage>
    private let confirmation: LivePage<ContinuePage>
    private let exitPost: LivePage<ExitPostPage>
    private let exitRedirect: LivePage<ExitRedirectPage>
    private let exitMessage: LivePage<ExitMessagePage>
    private let error: LivePage<HostedErrorPage>
    private let signedOut: LivePage<SignedOutPage>
    private let account: LivePage<AccountPage>
    private let registration: LivePage<RegistrationPage>
    private let invited: LivePage<InvitedPage>
    private let recovery: LivePage<RecoveryPage>
    private let message: LivePage<MessagePage>
    private let link: LivePage<LinkPage>
    private let newPassword: LivePage<NewPasswordPage>
    private let email: LivePage<EmailPage>
    private let password: LivePage<PasswordPage>
    private let stopUsing: LivePage<StopUsingPage>
    private let apple: LivePage<AppleDetailPage>
    private let data: LivePage<AccountDataPage>
    private let deletion: LivePage<AccountDeletionPage>
    private let deleted: LivePage<AccountDeletedPage>
    private let receipt: LivePage<ReceiptPage>

    /// - Throws: `Diagnostics` if a template does not match its page.
    init(site: Site) throws(Diagnostics) {
        self.site = site
        signIn = try site.pages.page(SignInPage.self)
        consent = try site.pages.page(ConsentPage.self)
        confirmation = try site.pages.page(ContinuePage.self)
        exitPost = try site.pages.page(ExitPostPage.self)
        exitRedirect = try site.pages.page(ExitRedirectPage.self)
        exitMessage = try site.pages.page(ExitMessagePage.self)
        error = try site.pages.page(HostedErrorPage.self)
        signedOut = try site.pages.page(SignedOutPage.self)
        account = try site.pages.page(AccountPage.self)
        registration = try site.pages.page(RegistrationPage.self)
        invited = try site.pages.page(InvitedPage.self)
        recovery = try site.pages.page(RecoveryPage.self)
        message = try site.pages.page(MessagePage.self)
        link = try site.pages.page(LinkPage.self)
        newPassword = try site.pages.page(NewPasswordPage.self)
        email = try site.pages.page(EmailPage.self)
        password = try site.pages.page(PasswordPage.self)
        stopUsing = try site.pages.page(StopUsingPage.self)
        apple = try site.pages.page(AppleDetailPage.self)
        data = try site.pages.page(AccountDataPage.self)
        deletion = try site.pages.page(AccountDeletionPage.self)
        deleted = try site.pages.page(AccountDeletedPage.self)
        receipt = try site.pages.page(ReceiptPage.self)
    }

    func frame(_ title: any LocalizedTextConvertible, of team: TeamSnapshot?, in language: Language) -> HostedFrame {
        HostedFrame(
            language: language, title: title.localizedText, assets: site.assets,
            brand: team.map(HostedFrame.Brand.init) ?? .pippin, team: team?.id)
    }

    func respond(_ page: SignInPage, status: Status = .ok) -> Response { site.respond(signIn, page, status: status) }

    func respond(_ page: ConsentPage, status: Status = .ok) -> Response { site.respond(consent, page, status: status) }

    func respond(_ page: ContinuePage) -> Response { site.respond(confirmation, page) }

    func respond(_ page: SignedOutPage) -> Response { site.respond(signedOut, page) }

    func respond(_ page: AccountPage) -> Response { site.respond(account, page) }

    func respond(_ page: PasswordPage, status: Status = .ok) -> Response {
        site.respond(password, page, status: status)
    }

    func respond(_ page: RegistrationPage, status: Status = .ok) -> Response {
        site.respond(registration, page, status: status)
    }

    func respond(_ page: InvitedPage, status: Status = .ok) -> Response { site.respond(invited, page, status: status) }

    func respond(_ page: RecoveryPage, status: Status = .ok) -> Response {
        site.respond(recovery, page, status: status)
    }

    func respond(_ page: MessagePage, status: Status = .ok) -> Response { site.respond(message, page, status: status) }

    func respond(_ page: LinkPage) -> Response { site.respond(link, page) }

    func respond(_ page: NewPasswordPage, status: Status = .ok) -> Response {
        site.respond(newPassword, page, status: status)
    }

    func respond(_ page: EmailPage, status: Status = .ok) -> Response { site.respond(email, page, status: status) }

    func respond(_ page: AccountDataPage) -> Response { site.respond(data, page) }

    func respond(_ page: StopUsingPage) -> Response { site.respond(stopUsing, page) }

    func respond(_ page: AppleDetailPage, status: Status = .ok) -> Response {
        site.respond(apple, page, status: status)
    }

    func respond(_ page: AccountDeletionPage, status: Status = .ok) -> Response {
        site.respond(deletion, page, status: status)
    }

    func respond(_ page: AccountDeletedPage) -> Response { site.respond(deleted, page) }

    func respond(_ page: ReceiptPage) -> Response { site.respond(receipt, page) }

    /// Error page of the team, or of Pippin if there is no team.
    func respond(
        _ problem: UserFacingError, to request: Request, of team: TeamSnapshot?, in language: Language? = nil,
        retryURL: String? = nil
    ) -> Response {
        let page = HostedErrorPage(
            frame: frame(problem.headline, of: team, in: language ?? request.language), headline: problem.headline,
            message: problem.message, advice: problem.advice, reference: request.id.description, retryURL: retryURL)
        var response = site.respond(error, page, status: problem.status)
        if let seconds = problem.retryAfter { response.append(.retryAfter, String(seconds)) }
        return response
    }

    /// Page that leads to an external URL after a form of the account page.
    func leave(to url: String, _ frame: HostedFrame, named name: String) throws(UserFacingError) -> Response {
        guard let target = SafeURL(vetted: url) else { throw .failed }
        let page = ExitRedirectPage(frame: frame, appName: name, target: target)
        return site.respond(exitRedirect, page, forms: .anywhere)
    }

    /// Page that delivers the answer to the app; no form of the hosted pages leads to an app in any other way.
    func exit(with answer: AuthorizationAnswer, appName: String, of team: TeamSnapshot, in language: Language)
        throws(UserFacingError) -> Response
    {
        guard let target = SafeURL(vetted: answer.location) else { throw .failed }
        let frame = frame(Message("hosted.exit.title", ["app": appName]), of: team, in: language)
        switch answer.mode {
        case .query, .fragment:
            let page = ExitRedirectPage(frame: frame, appName: appName, target: target)
            return site.respond(exitRedirect, page, forms: .anywhere)
        case .formPost:
            let hidden = answer.parameters.map { ExitPostPage.Hidden(name: $0.name, value: $0.value) }
            let page = ExitPostPage(frame: frame, appName: appName, target: target, hidden: hidden)
            return site.respond(exitPost, page, forms: .anywhere)
        case .webMessage:
            let page = ExitMessagePage(frame: frame, appName: appName, message: answer.message, origin: answer.origin)
            return site.respond(exitMessage, page)
        }
    }
}

extension Request {
    /// Language of a page that belongs to no sign-in.
    public var language: Language { language(asked: nil) }

    /// Language of the user; the app's request takes precedence over the browser's preference.
    ///
    /// - Parameter uiLocales: language tags in the order of preference, joined by spaces (OpenID Connect Core section
    ///   3.1.2.1); Apple's `locale` is one of them.
    func language(asked uiLocales: String?) -> Language {
        Language.negotiate(uiLocales: uiLocales, acceptLanguage: self[.acceptLanguage])
    }

    /// Language tags to keep for the pages of a sign-in: the language of the pages, and before it one that the user
    /// prefers if its forms differ (`Language.putsFamilyNameFirst`).
    func languageTags(asked uiLocales: String? = nil) -> String {
        let language = language(asked: uiLocales).tag
        let preferred = uiLocales.flatMap { $0.isEmpty ? nil : $0 } ?? self[.acceptLanguage] ?? ""
        guard Language.putsFamilyNameFirst(preferred) else { return language }
        // The longest of them has three letters; what follows is the browser's to write.
        let letters = preferred.utf8.prefix(3).prefix { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20) }
        return "\(String(decoding: letters, as: UTF8.self)) \(language)"
    }
}

/// Path of this site for a redirect; texts that could lead to another site are rejected.
struct LocalPath: Sendable {
    let text: String

    init?(_ text: String?) {
        guard let text, text.utf8.count <= 1024, text.hasPrefix("/"), !text.hasPrefix("//"), !text.contains("\\"),
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { return nil }
        self.text = text
    }
}
