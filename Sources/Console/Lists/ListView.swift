import Core
import HTTP
import Platform
import SignIn
import Templates

/// A list on a page: its title, its search and filters, its rows, and the links to its other pages.
struct ListView: Sendable {
    /// What stands in place of the rows if there are none.
    struct Empty: Sendable {
        let icon: String
        let title: LocalizedText
        let about: LocalizedText
        /// What a member can do about it.
        var advice: Message?
        var link: LinkView?

        init(
            _ icon: String, _ title: any LocalizedTextConvertible, _ about: any LocalizedTextConvertible,
            _ link: LinkView? = nil
        ) {
            self.icon = icon
            self.title = title.localizedText
            self.about = about.localizedText
            self.link = link
        }

        /// What a list says whose filters no item matches.
        static func unmatched(_ title: Message, _ about: Message, all: Message, _ query: ListQuery) -> Empty {
            Empty("search", title, about, LinkView(all, query.path))
        }

        /// What a list of the registry says whose identifiers, names and descriptions do not begin with the search text.
        static func registry(_ query: ListQuery) -> Empty {
            unmatched(
                Message("console.registry.search.none", ["query": query.search]),
                Message("console.registry.search.advice"), all: Message("console.registry.search.all"), query)
        }

        /// What a list says whose objects belong to App IDs, while the team has none.
        static func firstAppID(_ icon: String, _ about: Message, _ context: TeamContext) -> Empty {
            let new = LinkView(
                Message("console.registry.new-app-id"), ConsoleRoutes.newAppID.link(context.teamID), isPrimary: true)
            return Empty(
                icon, Message("console.registry.first-app-id"), about, context.may(.changeRegistry) ? new : nil)
        }

        static let fields = Fields<Empty> {
            $0.text("icon") { $0.icon }
            $0.words("title") { $0.title }
            $0.words("about") { $0.about }
            $0.optionalWords("advice") { $0.advice }
            $0.optionalGroup("link", LinkView.fields) { $0.link }
        }
    }

    /// The rows of a list.
    enum Content: Sendable {
        case rows([ListRow])
        case table(ListTable)

        var isEmpty: Bool {
            switch self {
            case .rows(let rows): rows.isEmpty
            case .table(let table): table.isEmpty
            }
        }
    }

    let title: Message
    let about: any LocalizedTextConvertible
    /// The page that the list belongs to.
    var back: LinkView?
    /// Links beside the title; a primary one is left to `none` while there are no rows.
    var links: [LinkView?] = []
    /// Explanation above the list.
    var note: Message?
    let query: ListQuery
    /// Label of the button of the filters.
    var button = Message("console.registry.search")
    let content: Content
    var paging: PagingView?
    /// What the list says without filters.
    let none: Empty
    /// What the list says if no item matches its filters; nil for a list without filters.
    var unmatched: Empty?

    /// Whether the search is the only filter, which then stands on one line.
    private var isSearch: Bool { query.filters.map(\.name) == ["q"] }
    /// A search is of no use while there is nothing to search.
    private var search: Input? { isSearch && (query.isFiltered || !content.isEmpty) ? query.inputs.first : nil }

    static let fields = Fields<ListView> {
        $0.words("title") { $0.title }
        $0.words("about") { $0.about }
        $0.optionalGroup("back", LinkView.fields) { $0.back }
        $0.list("links", LinkView.fields) { view in
            view.links.compactMap(\.self).filter { !$0.isPrimary || !view.content.isEmpty }
        }
        $0.optionalWords("note") { $0.note }
        $0.text("path") { $0.query.path }
        $0.optionalGroup("search", Input.fields) { $0.search }
        $0.list("inputs", Input.fields) { $0.isSearch ? [] : $0.query.inputs }
        $0.words("button") { $0.button }
        $0.list("chips", ChipView.fields) { $0.isSearch ? [] : $0.query.chips }
        $0.flag("filtered") { $0.query.isFiltered }
        $0.text("clearURL") { $0.query.path }
        $0.list("rows", ListRow.fields) { if case .rows(let rows) = $0.content { rows } else { [] } }
        $0.optionalGroup("table", ListTable.fields) {
            if case .table(let table) = $0.content, !table.isEmpty { table } else { nil }
        }
        $0.optionalGroup("paging", PagingView.fields) { $0.paging }
        $0.optionalGroup("empty", Empty.fields) { view in
            view.content.isEmpty ? view.query.isFiltered ? view.unmatched ?? view.none : view.none : nil
        }
    }
}

/// Page of a team that is a list.
struct ListPage: FramedPage {
    static let template = "console/list"
    static let fields = frameFields.with { $0.group("list", ListView.fields) { $0.list } }

    let frame: ConsoleFrame
    let list: ListView

    init(_ context: TeamContext, _ list: ListView) {
        frame = context.frame(list.title)
        self.list = list
    }
}

/// Page of the operators' area that is a list.
struct OperatorListPage: FramedPage {
    static let template = "console/operator/list"
    static let fields = frameFields.with { $0.group("list", ListView.fields) { $0.list } }

    let frame: OperatorFrame
    let list: ListView

    init(_ context: AccountContext, at section: OperatorSection, _ list: ListView) {
        frame = OperatorFrame(context, list.title, at: section)
        self.list = list
    }
}
