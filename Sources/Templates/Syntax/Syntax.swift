/// What a template says, before anything is known about the page that fills it.
struct Syntax: Sendable {
    var layout: Layout?
    /// Where `{{content}}` stands first.
    var content: Int?
    var nodes: [Node] = []

    /// The layout this template is put into.
    struct Layout: Sendable {
        let name: String
        let offset: Int
    }
}
