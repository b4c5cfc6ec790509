/// A status code (RFC 9110 section 15).
public struct Status: Hashable, Sendable {
    public let code: UInt16

    public init(_ code: UInt16) { self.code = code }

    public static let ok = Status(200)
    public static let created = Status(201)
    public static let accepted = Status(202)
    public static let noContent = Status(204)
    public static let found = Status(302)
    public static let seeOther = Status(303)
    public static let badRequest = Status(400)
    public static let unauthorized = Status(401)
    public static let forbidden = Status(403)
    public static let notFound = Status(404)
    public static let methodNotAllowed = Status(405)
    public static let conflict = Status(409)
    public static let gone = Status(410)
    public static let contentTooLarge = Status(413)
    public static let unsupportedMediaType = Status(415)
    public static let misdirectedRequest = Status(421)
    public static let unprocessableContent = Status(422)
    public static let tooManyRequests = Status(429)
    public static let headerFieldsTooLarge = Status(431)
    public static let internalServerError = Status(500)
    public static let serviceUnavailable = Status(503)
    public static let versionNotSupported = Status(505)
}
