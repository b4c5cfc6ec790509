public import Core
import Crypto
public import HTTP
import OAuth
import Platform

/// Link of an error page, which leads the browser that is shown the page to one that works.
public struct WayOn: Sendable {
    public let url: String
    public let label: LocalizedText

    public init(_ url: String, _ label: any LocalizedTextConvertible) {
        self.url = url
        self.label = label.localizedText
    }
}

extension Site {
    /// Where the page of `problem` leads: to a sign-in anew, to the page whose request failed, to the page before, or home.
    ///
    /// It is an address below the public URL, because the failed request may have come to another name of the server.
    public func wayOn(after problem: UserFacingError, _ request: Request) -> WayOn {
        let place = Place(request.path)
        if problem.endsInteraction, let restart = restart(of: request) {
            return WayOn(publicURL + restart, Message("hosted.sign-in.submit"))
        }
        let isRead = [.get, .head].contains(request.method)
        if isRead, problem.isTemporary {
            return WayOn(publicURL + request.pathAndQuery, Message("hosted.problems.retry"))
        }
        let back = pageBefore(request, place, after: problem).map { publicURL + $0 }
        if let back { return WayOn(back, Message("shared.problems.back")) }
        if let team = place.team, team != .system {
            return WayOn(publicURL + TeamRoutes.account.link(team), Message("hosted.account.title"))
        }
        let isOfConsole = request.path.hasPrefix("/console")
        let label = isOfConsole ? Message("console.errors.all-teams") : Message("hosted.sign-in.to-console")
        return WayOn("\(publicURL)/console", label)
    }

    /// The page that a form was on, or else the one that the browser comes from; nil if neither is known to work.
    private func pageBefore(_ request: Request, _ place: Place, after problem: UserFacingError) -> String? {
        let interaction = problem.endsInteraction ? nil : place.interaction
        let (path, isForm) = (request.path, request.method == .post)
        // What comes from elsewhere has no page here that it was on.
        let isOurs = ![TeamRoutes.authorize.text, TeamRoutes.appleCallback.text].contains(request.routePattern)
        if isForm, isOurs, request.hasPage, place.interaction == nil || interaction != nil { return path }
        if let interaction, interaction != path { return interaction }
        guard let referrer = request[.referer], referrer.hasPrefix("\(publicURL)/"),
            let page = LocalPath(String(referrer.dropFirst(publicURL.utf8.count)))?.text, page != request.pathAndQuery,
            Place(page).interaction == nil
        else { return nil }
        return page
    }

    /// Address of a page as a link at the name under which the browser sees this server: the public URL is put in front
    /// where the request came to another one.
    ///
    /// Only for redirects that are made under any name, because a proxy may hide the name, and would be led for ever.
    public func link(to path: String, for request: Request) -> String {
        let host = publicURL.utf8.split(separator: UInt8(ascii: "/")).last.map { String(decoding: $0, as: UTF8.self) }
        return request[.host]?.lowercased() == host ? path : publicURL + path
    }
}

// Sign-ins that begin anew where their interaction is gone.
extension Site {
    /// Longest address that a form keeps, in octets; sealed, it fits into a short body beside a passkey's response.
    private static let longestRestart = 6_000

    /// The address that begins this sign-in anew, sealed, which its forms carry because it may be over when one is sent.
    ///
    /// Nil for a test sign-in, which would be over as well.
    func restart(_ interaction: Interaction) -> String? {
        let team = interaction.team
        var (address, query) = ("", [FormCoding.Field]())
        switch interaction.goal {
        case .app(let app):
            guard app.testSignIn == nil else { return nil }
            address = "\(TeamRoutes.authorize.link(team))?\(app.query)&"
        case .account(let next):
            address = "\(TeamRoutes.session.link(team))?"
            if let next { query.append(FormCoding.Field("next", next)) }
        }
        if let language = interaction.language { query.append(FormCoding.Field("ui_locales", language)) }
        let whole = Array((address + FormCoding.encode(query)).utf8)
        guard whole.count <= Self.longestRestart else { return nil }
        return Base64URL.encode(formSealer.seal(whole, context: ["restart", team.rawValue]))
    }

    /// The address in a form, if this server has sealed it for the team.
    ///
    /// It says nothing of who sends it: it is only a link to where every sign-in begins.
    func restart(of request: Request) -> String? {
        guard request.method == .post, let team = Place(request.path).team, let form = try? request.form(),
            let sealed = form["restart"].flatMap({ Base64URL.decode($0) }),
            let opened = formSealer.open(sealed, context: ["restart", team.rawValue])
        else { return nil }
        return String(utf8: opened)
    }
}

/// What a path below `/t/{team}` is about.
private struct Place {
    let team: TeamID?
    /// Path of the interaction, itself or of one of its steps.
    let interaction: String?

    init(_ path: String) {
        let page = path.utf8.prefix { $0 != UInt8(ascii: "?") }
        let names = page.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }
        let team = names.count > 1 && names[0] == "t" ? TeamID(rawValue: names[1]) : nil
        self.team = team
        guard let team, names.count > 4, names[2] == "auth", names[3] == "interactions" else {
            interaction = nil
            return
        }
        interaction = InteractionID(rawValue: names[4]).map { TeamRoutes.interaction.link(team, $0) }
    }
}

extension Request {
    /// Path and query, as received.
    public var pathAndQuery: String {
        queryBytes.isEmpty ? path : "\(path)?\(String(decoding: queryBytes, as: UTF8.self))"
    }
}
