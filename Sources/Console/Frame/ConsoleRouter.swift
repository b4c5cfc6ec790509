import Domain
import HTTP

/// The console's routes, each with who may ask for it: there is no way to mount one without.
///
/// A form reaches its handler only after its origin and its token were checked.
struct ConsoleRouter {
    private(set) var router: Router
    /// Every route mounted here, for the test that walks them with every role.
    private(set) var mounted: [MountedRoute] = []
    private let reception: Reception

    init(_ router: Router, _ reception: Reception) {
        self.router = router
        self.reception = reception
    }

    /// The same, with long bodies read for an account alone.
    private func admitting(_ options: RouteOptions) -> RouteOptions {
        var options = options
        options.admission = reception.admission
        return options
    }

    private mutating func note(
        _ method: HTTP.Method,
        _ pattern: String,
        _ access: Access,
        takesToken: Bool? = nil,
        countsForTeam: Bool = true
    ) {
        mounted.append(
            MountedRoute(
                method: method,
                pattern: pattern,
                access: access,
                takesToken: takesToken ?? (method != .get),
                countsForTeam: countsForTeam
            )
        )
    }
}

// Inside a team.
extension ConsoleRouter {
    /// A page of a team.
    mutating func get<each Value: PathValue>(
        _ route: Route<TeamID, repeat each Value>,
        needs right: Right,
        at section: Section,
        _ respond: @escaping @Sendable (Scope, repeat each Value) async throws -> Response
    ) {
        note(.get, route.text, .members(right))
        router.get(route) { [reception] (request: Request, team: TeamID, value: repeat each Value) in
            try await reception.admit(request, to: team, needing: right, at: section) { scope in
                try await respond(scope, repeat each value)
            }
        }
    }

    /// A form of a team.
    ///
    /// - Parameters:
    ///   - options: what it takes beside plain fields, such as a file.
    ///   - countsForTeam: false for one that only reads out, or only takes something away that is there once: it counts for
    ///     its account alone, so that nobody who uses up the team's forms keeps what they have by it.
    mutating func post<each Value: PathValue>(
        _ route: Route<TeamID, repeat each Value>,
        _ options: RouteOptions = .form,
        needs right: Right,
        at section: Section,
        countsForTeam: Bool = true,
        _ respond: @escaping @Sendable (Scope, Form, repeat each Value) async throws -> Response
    ) {
        note(.post, route.text, .members(right), countsForTeam: countsForTeam)
        router.post(route, admitting(options)) {
            [reception] (request: Request, team: TeamID, value: repeat each Value) in
            try await reception.admit(request, to: team, needing: right, at: section) { scope in
                let form = try await reception.form(of: scope.visit, in: countsForTeam ? team : nil)
                return try await respond(scope, form, repeat each value)
            }
        }
    }
}

// What the engine's exit page sends.
extension ConsoleRouter {
    /// An answer to a trial by form_post: it comes from this site, but from a page that knows no token of the console.
    ///
    /// Its handler checks the `state` in its place.
    mutating func postAnswer<each Value: PathValue>(
        _ route: Route<TeamID, repeat each Value>,
        needs right: Right,
        at section: Section,
        _ respond: @escaping @Sendable (Scope, Form, repeat each Value) async throws -> Response
    ) {
        note(.post, route.text, .members(right), takesToken: false)
        router.post(route, admitting(.form)) {
            [reception] (request: Request, team: TeamID, value: repeat each Value) in
            try await reception.admit(request, to: team, needing: right, at: section) { scope in
                let form = try await reception.answer(of: scope.visit, in: team)
                return try await respond(scope, form, repeat each value)
            }
        }
    }
}

// Outside of any team.
extension ConsoleRouter {
    /// A page for any console account, or for operators alone.
    mutating func get<each Value: PathValue>(
        _ route: Route<repeat each Value>,
        for access: PlainAccess,
        _ respond: @escaping @Sendable (Visit, repeat each Value) async throws -> Response
    ) {
        note(.get, route.text, access.access)
        router.get(route) { [reception] (request: Request, value: repeat each Value) in
            try await reception.admit(request, operatorsOnly: access == .operators) { visit in
                try await respond(visit, repeat each value)
            }
        }
    }

    /// A form for any console account, or for operators alone.
    mutating func post<each Value: PathValue>(
        _ route: Route<repeat each Value>,
        for access: PlainAccess,
        _ respond: @escaping @Sendable (Visit, Form, repeat each Value) async throws -> Response
    ) {
        note(.post, route.text, access.access)
        router.post(route, admitting(.form)) { [reception] (request: Request, value: repeat each Value) in
            try await reception.admit(request, operatorsOnly: access == .operators) { visit in
                let form = try await reception.form(of: visit, in: nil)
                return try await respond(visit, form, repeat each value)
            }
        }
    }

    /// A page that has a proof of its own in its address.
    mutating func getForEverybody<each Value: PathValue>(
        _ route: Route<repeat each Value>,
        _ respond: @escaping @Sendable (Request, repeat each Value) async throws -> Response
    ) {
        note(.get, route.text, .everybody)
        router.get(route, .standard, respond)
    }

    /// A form that has a proof of its own in its address; its handler checks origin and token itself.
    mutating func postForEverybody<each Value: PathValue>(
        _ route: Route<repeat each Value>,
        _ respond: @escaping @Sendable (Request, repeat each Value) async throws -> Response
    ) {
        note(.post, route.text, .everybody)
        router.post(route, .shortForm, respond)
    }
}

/// Who may ask for a page outside of any team.
enum PlainAccess: Sendable {
    case account
    /// For anybody else there is no such page.
    case operators

    fileprivate var access: Access { self == .account ? .account : .operators }
}
