public import Core

/// A page: a struct with the values that one template shows.
///
///     struct ClientPage: View {
///         static let template = "console/clients/show"
///         static let fields = Fields<Self> { $0.text("name") { $0.client.name } }
///         let client: Client
///     }
public protocol View {
    /// Path of the template below the folder, without `.html`.
    static var template: String { get }
    /// The names the template may use.
    static var fields: Fields<Self> { get }
    /// Languages whose texts must exist; English alone by default.
    static var languages: [Language] { get }
    /// Language of this page, one of `languages`; English by default.
    var language: Language { get }
}

extension View {
    public static var languages: [Language] { [.english] }
    public var language: Language { .english }
}
