import Bytes
public import HTTP
public import Localization

/// Errors of a form by field, in the order of the page.
public struct FieldErrors: Sendable {
    private var all: [(name: String, message: LocalizedText)] = []
    /// Time to wait before the form may be sent again, if it was sent too often.
    private(set) var wait: Duration?

    public init() {}

    public var isEmpty: Bool { all.isEmpty }

    /// Adds an error to a field that has none yet; the first error is kept.
    public mutating func add(_ name: String, _ message: any LocalizedTextConvertible) {
        if self[name] == nil { all.append((name, message.localizedText)) }
    }

    /// Adds an error to a field because the form was sent too often, with the time to wait.
    public mutating func add(_ name: String, _ message: any LocalizedTextConvertible, waiting wait: Duration) {
        add(name, message)
        self.wait = wait
    }

    /// Adds `message` to the field if `value` is nil, because the input is invalid.
    public mutating func require<Value>(_ value: Value?, _ name: String, _ message: any LocalizedTextConvertible)
        -> Value?
    {
        if value == nil { add(name, message) }
        return value
    }

    /// Error of a field.
    public subscript(_ name: String) -> LocalizedText? { all.first { $0.name == name }?.message }

    /// Returns the page with its errors as 422, or as 429 with `Retry-After` if the form was sent too often.
    ///
    /// - Parameter page: renders the page with a status.
    public func refuse(_ page: (Status) -> Response) -> Response {
        guard let wait else { return page(.unprocessableContent) }
        var response = page(.tooManyRequests)
        response.append(.retryAfter, String(max(1, wait.components.seconds)))
        return response
    }

    /// Lines of the summary above the form, each linking to its field.
    public var summary: [FormError] { all.map { FormError(id: "field-\($0.name)", message: $0.message) } }
}
