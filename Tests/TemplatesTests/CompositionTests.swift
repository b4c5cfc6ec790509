import Templates
import Testing

@Suite struct `Layouts and partials` {
    @Test func `the page stands where its layout says content`() throws {
        let layout = "<title>{{name}}</title>\n<main>\n{{content}}</main>\n"

        let text = try TeamPage().rendered("{{layout \"layouts/l\"}}\n<p>{{count}}</p>\n", ["layouts/l": layout])

        #expect(text == "<title>Acme</title>\n<main>\n<p>0</p>\n</main>\n")
    }

    @Test func `a layout may have a layout`() throws {
        let others = ["inner": "{{layout \"outer\"}}<i>{{content}}</i>", "outer": "<o>{{content}}</o>"]

        #expect(try TeamPage().rendered("{{layout \"inner\"}}x", others) == "<o><i>x</i></o>")
    }

    @Test func `a comment may stand above the layout`() throws {
        #expect(try TeamPage().rendered("{{! a }}\n\n{{layout \"l\"}}\nx", ["l": "[{{content}}]"]) == "[x]")
    }

    @Test func `a partial sees the names of its place`() throws {
        let page = TeamPage(people: [TeamPage.Person(name: "Ben")])

        let text = try page.rendered("{{> \"p\"}} {{#each people}}{{> \"p\"}}{{/each}}", ["p": "<{{! }}b>{{name}}</b>"])

        #expect(text == "<b>Acme</b> <b>Ben</b>")
    }

    @Test func `a partial with a group stands inside it, or not at all`() throws {
        let template = "{{> \"p\" with owner}}{{> \"q\" with flash}}."

        let text = try TeamPage().rendered(template, ["p": "{{name}} {{count}}", "q": "{{message}}"])

        #expect(text == "Ada 0.")
    }

    @Test func `a partial is escaped for where it stands`() throws {
        let page = TeamPage(name: "a b&c")

        let text = try page.rendered("<a href=\"/x?{{> \"p\"}}\">{{> \"p\"}}</a>", ["p": "n={{name}}"])

        #expect(text == "<a href=\"/x?n=a%20b%26c\">n=a b&amp;c</a>")
    }

    @Test func `many partials inside partials stop at a bound`() {
        var others = ["p0": "x"]
        for level in 1...40 { others["p\(level)"] = "{{> \"p\(level - 1)\"}}{{> \"p\(level - 1)\"}}" }

        let faults = TeamPage.faults("{{> \"p40\"}}", others)

        #expect(faults.count == 1)
        #expect(faults.first?.contains("a page of more than 100000 pieces or 4194304 bytes") == true)
    }

    @Test func `a long chain of partials stops at a bound`() {
        var others = ["p0": "x"]
        for level in 1...100 { others["p\(level)"] = "{{> \"p\(level - 1)\"}}" }

        let faults = TeamPage.faults("{{> \"p100\"}}", others)

        #expect(faults == ["p37.html:1:1: found more than 64 blocks and partials inside each other, expected fewer"])
    }
}
