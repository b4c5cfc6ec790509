import Core
import HTTP
import Platform
import Registry
import SignIn
import Templates

/// An object whose settings are declared: a team, or one in its registry.
protocol DeclaredObject: Sendable {
    associatedtype Key: PathValue & Sendable
    associatedtype Settings: DeclaredSettings

    /// Path segment that identifies the object.
    var key: Key { get }
    /// Text to retype to confirm a deletion.
    var identity: String { get }
    var settings: Settings { get }
    /// Incremented with every change.
    var version: Int { get }
    /// Names of the inputs that a new object has besides.
    static var identity: [String] { get }
    static var words: SettingWords { get }
    /// The input of an error whose path names another, by the name in the path.
    static var inputs: [String: FieldPath] { get }
}

extension DeclaredObject { static var inputs: [String: FieldPath] { [:] } }

/// The texts of the settings of a kind of object: of each its `label`, and its `hint`, `placeholder` and values if the
/// catalogue has them.
struct SettingWords: Sendable {
    let family: StaticString

    init(_ family: StaticString) { self.family = family }

    func label(_ name: String) -> Message { Message(in: family, "\(name).label") }

    func value(_ value: String, of name: String) -> Message { Message(in: family, "\(name).\(value)") }

    func row(_ number: Int, of name: String) -> Message { Message(in: family, "\(name).row", ["number": number]) }

    /// The text if there is one.
    ///
    /// - Parameter base: the team's own issuer URL.
    func text(_ kind: String, of name: String, _ site: Site, limit: Int? = nil, base: String = "") -> Message? {
        let message = Message(in: family, "\(name).\(kind)", ["limit": limit ?? 0, "base": base])
        return site.pages.texts.has(message.key) ? message : nil
    }
}
