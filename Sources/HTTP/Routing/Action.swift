/// The handler and options of one method of one route.
final class Action: Sendable {
    typealias Respond = @Sendable (Request) async throws -> Response

    let pattern: String
    let options: RouteOptions
    let respond: Respond

    init(pattern: String, options: RouteOptions, respond: @escaping Respond) {
        self.pattern = pattern
        self.options = options
        self.respond = respond
    }
}
