public import Templates

/// A user's name, email address and initial.
public struct PersonView: Sendable {
    public let name: String
    public let email: String

    /// - Parameter name: replaced by the email address if it is empty.
    public init(name: String, email: String?) {
        self.email = email ?? ""
        self.name = name.isEmpty ? self.email : name
    }

    public var initial: String { Initial.of(name) }

    public static let fields = Fields<PersonView> {
        $0.text("name") { $0.name }
        $0.text("email") { $0.email }
        $0.text("initial") { $0.initial }
    }
}
