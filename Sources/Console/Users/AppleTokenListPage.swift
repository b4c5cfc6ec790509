import Domain
import HTTP
import Templates
import Web

/// List of Apple tokens that could not be revoked or validated, with filters and pages.
struct AppleTokenListPage: ConsolePage {
    static let template = "console/users/apple-tokens"
    static let fields = frameFields.with {
        $0.text("action") { AppleTokenRoutes.tokens.link($0.team) }
        $0.optionalText("query") { $0.search.subject?.rawValue }
        $0.group("state", SelectView.fields) { $0.search.stateSelect }
        $0.group("problem", SelectView.fields) { $0.search.problemSelect }
        $0.list("chips", AppleTokenSearch.Chip.fields) { $0.search.chips(in: $0.team) }
        $0.list("rows", AppleTokenRow.fields) { $0.rows }
        $0.group("paging", PagingView.fields) { $0.paging }
    }

    let frame: ConsoleFrame
    let team: TeamID
    let search: AppleTokenSearch
    let rows: [AppleTokenRow]
    let paging: PagingView
}
