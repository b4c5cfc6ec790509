/// What a route accepts.
public struct RouteOptions: Sendable {
    /// Judges a request by its head: answers it, or lets its body come with nil.
    public typealias Admission = @Sendable (Request) async throws -> Response?

    /// The longest body, in octets; a longer one is answered 413.
    public var bodyLimit: Int
    /// The media types of a body, any when empty; another is answered 415.
    public var contentTypes: [MediaType]
    /// Asked before a body is read that is over 16 KiB or of unknown length: nothing long is kept for a stranger.
    ///
    /// The handler must not rely on it: shorter bodies come unasked.
    public var admission: Admission?
    /// Whether the handler answers at once, without waiting for anything: then it is asked where no further request may
    /// wait, too.
    public var neverWaits: Bool

    public init(
        bodyLimit: Int = 64 * 1024,
        contentTypes: [MediaType] = [],
        neverWaits: Bool = false
    ) {
        self.bodyLimit = bodyLimit
        self.contentTypes = contentTypes
        self.neverWaits = neverWaits
    }

    public static let standard = RouteOptions()
    /// Answers at once, however many wait.
    public static let immediate = RouteOptions(neverWaits: true)
    /// Takes a form and nothing else.
    public static let form = RouteOptions(contentTypes: [.form])
    /// Takes a form that is no longer than the bodies that are read from anybody.
    public static let shortForm = RouteOptions(bodyLimit: BodyBudget.shortLimit, contentTypes: [.form])
    /// Takes a form with files, whose octets are that many at most, or one without.
    public static func upload(limit: Int) -> RouteOptions {
        // Boundaries, names and the other fields take a little too.
        RouteOptions(bodyLimit: limit + 16 * 1024, contentTypes: [.multipart, .form])
    }

    /// Whether a body in `multipart/form-data` is taken apart; elsewhere it is the handler's to judge.
    var takesFiles: Bool { contentTypes.contains { $0.matches("multipart/form-data") } }

    public static let json = RouteOptions(contentTypes: [.json])
}
