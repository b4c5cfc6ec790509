public import Bytes

/// A page: a struct with what one template shows.
///
///     struct ClientPage: View {
///         static let template = "console/clients/show"
///         static let fields = Fields<Self>()
///             .text("name") { $0.client.name }
///         let client: Client
///     }
public protocol View {
    /// The template's path below the folder, without `.html`.
    static var template: String { get }
    /// The names the template may use.
    static var fields: Fields<Self> { get }
    /// The languages whose texts must be there; English alone if nothing is said.
    static var languages: [Language] { get }
    /// The one this page is written in, which must be one of them: English if nothing is said.
    var language: Language { get }
}

extension View {
    public static var languages: [Language] { [.english] }
    public var language: Language { .english }
}
