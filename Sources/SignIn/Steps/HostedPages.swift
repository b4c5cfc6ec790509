public import Core
public import HTTP
import OAuth
import Platform
import Templates

/// The hosted pages with their templates.
struct HostedPages: Sendable {
    let site: Site
    /// Kept at hand, because it is the page that most visitors see.
    private let signIn: LivePage<SignInPage>

    static var views: [any View.Type] {
        [
            SignInPage.self, ConsentPage.self, ContinuePage.self, ExitPostPage.self, ExitRedirectPage.self,
            ExitMessagePage.self, HostedErrorPage.self, SignedOutPage.self, AccountPage.self, PasswordPage.self,
            StopUsingPage.self, AppleDetailPage.self, AccountDeletionPage.self, AccountDeletedPage.self,
            ReceiptPage.self, AccountDataPage.self, RegistrationPage.self, RecoveryPage.self, MessagePage.self,
            LinkPage.self, NewPasswordPage.self, EmailPage.self, InvitedPage.self, FactorPage.self,
            FactorSetupPage.self, RecoveryCodesPage.self, FactorDetailPage.self,
        ]
    }

    /// - Throws: `Diagnostics` if a template does not match its page.
    init(site: Site) throws(Diagnostics) {
        func bind<Page: View>(_ page: Page.Type) throws(Diagnostics) { _ = try site.pages.page(page) }
        self.site = site
        signIn = try site.pages.page(SignInPage.self)
        for view in Self.views { try bind(view) }
    }

    func frame(_ title: any LocalizedTextConvertible, of team: TeamSnapshot?, in language: Language) -> HostedFrame {
        HostedFrame(
            language: language, title: title.localizedText, assets: site.assets,
            brand: team.map(PageBrand.init) ?? .pippin, team: team?.id)
    }

    func respond(_ page: SignInPage, status: Status = .ok, retryAfter: Int? = nil) -> Response {
        var response = site.respond(signIn, page, status: status)
        response.retry(after: retryAfter)
        return response
    }

    func respond(_ page: some FramedPage<HostedFrame>, status: Status = .ok, retryAfter: Int? = nil) -> Response {
        var response = site.respond(page, status: status, forms: .ourselves)
        response.retry(after: retryAfter)
        return response
    }

    /// Error page of the team, or of Pippin if there is no team.
    ///
    /// - Parameter next: where the page leads; nil for `Site.wayOn`.
    func respond(_ problem: UserFacingError, to request: Request, of team: TeamSnapshot?, next: WayOn? = nil)
        -> Response
    {
        let page = HostedErrorPage(
            frame: frame(problem.headline, of: team, in: request.language), headline: problem.headline,
            message: problem.message, advice: problem.advice, reference: request.id.description,
            next: next ?? site.wayOn(after: problem, request))
        return respond(page, status: problem.status, retryAfter: problem.retryAfter)
    }

    /// Page that leads to an external URL after a form of the account page.
    func leave(to url: String, _ frame: HostedFrame, named name: String) throws(UserFacingError) -> Response {
        guard let target = SafeURL(vetted: url) else { throw .failed }
        return exit(ExitRedirectPage(frame: frame, appName: name, target: target))
    }

    /// Page that delivers the answer to the app; no form of the hosted pages leads to an app in any other way.
    func exit(with answer: AuthorizationResponse, appName: String, of team: TeamSnapshot, in language: Language)
        throws(UserFacingError) -> Response
    {
        guard let target = SafeURL(vetted: answer.location) else { throw .failed }
        let frame = frame(Message("hosted.exit.title", ["app": appName]), of: team, in: language)
        switch answer.mode {
        case .query, .fragment: return exit(ExitRedirectPage(frame: frame, appName: appName, target: target))
        case .formPost:
            let hidden = answer.parameters.map { ExitPostPage.Hidden(name: $0.name, value: $0.value) }
            return exit(ExitPostPage(frame: frame, appName: appName, target: target, hidden: hidden))
        case .webMessage:
            return respond(
                ExitMessagePage(frame: frame, appName: appName, message: answer.message, origin: answer.origin))
        }
    }

    private func exit(_ page: some FramedPage<HostedFrame>) -> Response {
        site.respond(page, status: .ok, forms: .anywhere)
    }
}

extension Response {
    /// Tells the client to wait before it tries again; nil adds nothing.
    mutating func retry(after seconds: Int?) { if let seconds { append(.retryAfter, String(seconds)) } }
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
