import HTTP
import Platform

/// Router on which every route of the console is mounted with its access rule.
///
/// A form reaches its handler only after its origin and form token are checked, except those mounted with `postAnswer`
/// and `postForEverybody`.
struct ConsoleRouter {
    private(set) var router: Router
    /// Every route mounted here, for the test that requests each with every role.
    private(set) var mounted: [MountedRoute] = []
    private let accessControl: AccessControl

    init(_ router: Router, _ accessControl: AccessControl) {
        self.router = router
        self.accessControl = accessControl
    }

    /// `options` with long bodies read only for an authenticated account.
    private func admitting(_ options: RouteOptions) -> RouteOptions {
        var options = options
        options.admission = accessControl.admission
        return options
    }

    private mutating func note(
        _ method: HTTP.Method, _ pattern: String, _ access: Access, takesToken: Bool? = nil, countsForTeam: Bool = true
    ) {
        mounted.append(
            MountedRoute(
                method: method, pattern: pattern, access: access, takesToken: takesToken ?? (method != .get),
                countsForTeam: countsForTeam))
    }
}

// Routes of a team.
extension ConsoleRouter {
    /// Mounts a page of a team.
    mutating func get<each Value: PathValue>(
        _ route: Route<TeamID, repeat each Value>, _ options: RouteOptions = .standard, needs right: Right,
        at section: Section, _ respond: @escaping @Sendable (TeamContext, repeat each Value) async throws -> Response
    ) {
        note(.get, route.text, .members(right))
        router.get(route, options) { [accessControl] (request: Request, team: TeamID, value: repeat each Value) in
            try await accessControl.admit(request, to: team, needing: right, at: section) { context in
                try await respond(context, repeat each value)
            }
        }
    }

    /// Mounts a form of a team.
    ///
    /// - Parameters:
    ///   - options: limits of the body, and whether it may contain more than plain fields, such as a file.
    ///   - countsForTeam: false for a form that only exports, or only removes an existing object: it counts toward its
    ///     account's limit only, so that a member who exhausts the team's limit cannot block the removal of access.
    mutating func post<each Value: PathValue>(
        _ route: Route<TeamID, repeat each Value>, _ options: RouteOptions = .form, needs right: Right,
        at section: Section, countsForTeam: Bool = true,
        _ respond: @escaping @Sendable (TeamContext, Form, repeat each Value) async throws -> Response
    ) {
        note(.post, route.text, .members(right), countsForTeam: countsForTeam)
        router.post(route, admitting(options)) {
            [accessControl] (request: Request, team: TeamID, value: repeat each Value) in
            try await accessControl.admit(request, to: team, needing: right, at: section) { context in
                let form = try await accessControl.form(of: context.accountContext, in: countsForTeam ? team : nil)
                return try await respond(context, form, repeat each value)
            }
        }
    }
}

// Forms from a page that redirects to a client by form_post.
extension ConsoleRouter {
    /// Mounts the return URL of test sign-ins with `response_mode=form_post`.
    ///
    /// The form comes from this site, but from a page without a form token of the console; the handler checks `state`
    /// instead.
    mutating func postAnswer<each Value: PathValue>(
        _ route: Route<TeamID, repeat each Value>, needs right: Right, at section: Section,
        _ respond: @escaping @Sendable (TeamContext, Form, repeat each Value) async throws -> Response
    ) {
        note(.post, route.text, .members(right), takesToken: false)
        router.post(route, admitting(.form)) {
            [accessControl] (request: Request, team: TeamID, value: repeat each Value) in
            try await accessControl.admit(request, to: team, needing: right, at: section) { context in
                let form = try await accessControl.answer(of: context.accountContext, in: team)
                return try await respond(context, form, repeat each value)
            }
        }
    }
}

// Routes outside any team.
extension ConsoleRouter {
    /// Mounts a page for any console account, or for operators only.
    mutating func get<each Value: PathValue>(
        _ route: Route<repeat each Value>, _ options: RouteOptions = .standard, for access: PlainAccess,
        _ respond: @escaping @Sendable (AccountContext, repeat each Value) async throws -> Response
    ) {
        note(.get, route.text, access.access)
        router.get(route, options) { [accessControl] (request: Request, value: repeat each Value) in
            try await accessControl.admit(request, operatorsOnly: access == .operators) { context in
                try await respond(context, repeat each value)
            }
        }
    }

    /// Mounts a form for any console account, or for operators only.
    mutating func post<each Value: PathValue>(
        _ route: Route<repeat each Value>, for access: PlainAccess,
        _ respond: @escaping @Sendable (AccountContext, Form, repeat each Value) async throws -> Response
    ) {
        note(.post, route.text, access.access)
        router.post(route, admitting(.form)) { [accessControl] (request: Request, value: repeat each Value) in
            try await accessControl.admit(request, operatorsOnly: access == .operators) { context in
                let form = try await accessControl.form(of: context, in: nil)
                return try await respond(context, form, repeat each value)
            }
        }
    }

    /// Mounts a page without authentication, whose URL contains its credential.
    mutating func getForEverybody<each Value: PathValue>(
        _ route: Route<repeat each Value>,
        _ respond: @escaping @Sendable (Request, repeat each Value) async throws -> Response
    ) {
        note(.get, route.text, .everybody)
        router.get(route, .standard, respond)
    }

    /// Mounts a form without authentication, whose URL contains its credential; the handler checks origin and token.
    mutating func postForEverybody<each Value: PathValue>(
        _ route: Route<repeat each Value>,
        _ respond: @escaping @Sendable (Request, repeat each Value) async throws -> Response
    ) {
        note(.post, route.text, .everybody)
        router.post(route, .form, respond)
    }
}

/// Access rule of a route outside any team.
enum PlainAccess: Sendable {
    case account
    /// Other accounts get 404.
    case operators

    fileprivate var access: Access { self == .account ? .account : .operators }
}

/// Access rule of a route.
enum Access: Hashable, Sendable {
    /// Unauthenticated requests too, because the URL itself is the credential, such as the one-time setup link.
    case everybody
    /// Any console account.
    case account
    /// Operators of the installation only.
    case operators
    /// Members of the team in the path whose role has that right.
    case members(Right)
}

/// A route of the console with its access rule, for the test that requests every route.
struct MountedRoute: Sendable {
    let method: HTTP.Method
    /// The pattern as declared, such as `/console/:team/keys`.
    let pattern: String
    let access: Access
    /// Whether the route requires the form token (against cross-site request forgery) of a console page.
    let takesToken: Bool
    /// Whether a form counts toward the limit of its team in addition to that of its account.
    let countsForTeam: Bool
}
