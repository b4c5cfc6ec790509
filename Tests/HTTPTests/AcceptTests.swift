import Testing

@testable import HTTP

/// What an `Accept` field asks for.
@Suite struct AcceptTests {
    @Test(arguments: [
        "text/html", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "TEXT/HTML ; q=0.5",
        "application/json;q=0.5, text/html;level=1;q=0.5",
    ])
    func `a browser gets a page`(field: String) {
        #expect(Accept(field).prefersPage)
    }

    @Test(arguments: [
        nil, "", "*/*", "text/*", "application/json", "text/html;q=0", "application/json, text/html;q=0.9",
        "text/html;q=2", "text/html;q=nan", ",,;q=1,\u{0}", "text/htmlx",
    ])
    func `whatever does not ask for one reads JSON`(field: String?) {
        #expect(!Accept(field).prefersPage)
    }
}
