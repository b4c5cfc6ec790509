import AuthEngine
import Domain
import HTTP
import Templates
import Web

/// The tokens that Apple does not take back, searched and paged.
struct AppleTokenListPage: ConsolePage {
    static let template = "console/users/apple-tokens"
    static let fields =
        frameFields
        .text("action") { AppleTokenRoutes.tokens.link($0.team) }
        .optionalText("query") { $0.search.subject?.rawValue }
        .group("state", SelectView.fields) { $0.search.stateSelect }
        .group("problem", SelectView.fields) { $0.search.problemSelect }
        .list("chips", AppleTokenSearch.Chip.fields) { $0.search.chips(in: $0.team) }
        .list("rows", AppleTokenRow.fields) { $0.rows }
        .group("paging", PagingView.fields) { $0.paging }

    let frame: ConsoleFrame
    let team: TeamID
    let search: AppleTokenSearch
    let rows: [AppleTokenRow]
    let paging: PagingView
}
