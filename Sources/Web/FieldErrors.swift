public import Bytes
public import HTTP

/// What is wrong with a form, field by field, in the order of the page.
public struct FieldErrors: Sendable {
    private var all: [(name: String, message: Words)] = []
    /// How long to wait before the form is sent again, where it was sent too often.
    private(set) var wait: Duration?

    public init() {}

    public var isEmpty: Bool { all.isEmpty }

    /// Notes what is wrong with a field; the first word on it stands.
    public mutating func add(_ name: String, _ message: any Wording) {
        if self[name] == nil { all.append((name, message.asWords)) }
    }

    /// Notes that the form was sent too often, with what to say beside a field.
    public mutating func add(_ name: String, _ message: any Wording, waiting wait: Duration) {
        add(name, message)
        self.wait = wait
    }

    /// Notes `message` where a value could not be made of what was typed.
    public mutating func require<Value>(_ value: Value?, _ name: String, _ message: any Wording) -> Value? {
        if value == nil { add(name, message) }
        return value
    }

    /// What to say beside the field.
    public subscript(_ name: String) -> Words? {
        all.first { $0.name == name }?.message
    }

    /// The page that says it all, with the status of it.
    ///
    /// - Parameter page: answers with a status.
    public func refuse(_ page: (Status) -> Response) -> Response {
        guard let wait else { return page(.unprocessableContent) }
        var response = page(.tooManyRequests)
        response.append(.retryAfter, String(max(1, wait.components.seconds)))
        return response
    }

    /// The lines above the form, each leading to its field.
    public var summary: [FormError] {
        all.map { FormError(id: "field-\($0.name)", message: $0.message) }
    }
}
