/// What a route accepts.
public struct RouteOptions: Sendable {
    /// The longest body, in octets; a longer one is answered 413.
    public var bodyLimit: Int
    /// The media types of a body, any when empty; another is answered 415.
    public var contentTypes: [MediaType]

    public init(bodyLimit: Int = 64 * 1024, contentTypes: [MediaType] = []) {
        self.bodyLimit = bodyLimit
        self.contentTypes = contentTypes
    }

    public static let standard = RouteOptions()
    /// Takes a form and nothing else.
    public static let form = RouteOptions(contentTypes: [.form])
    public static let json = RouteOptions(contentTypes: [.json])
}
