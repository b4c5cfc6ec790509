import Templates
import Testing

private let aCondition = "expected a flag, an optional text, a list or an optional group"
private let aValue = "expected a text, a number, a SafeURL or a SafeHTML"
private let aTemplate = "which does not exist, expected the path of a template without `.html`"
private let pageNames = "name, note, isActive, count, chart, next, people, owner, flash"
private let personNames = "name, isOwner, keys, device"

@Suite struct `A template that does not fit its page` {
    @Test(arguments: [
        (
            "<p>\n {{nme}}",
            "2:4: found the unknown name `nme`, expected a name of TeamPage: \(pageNames); did you mean `name`?"
        ),
        (
            "{{owner.nam}}",
            "1:3: found the unknown name `nam`, expected a name of Person: \(personNames); did you mean `name`?"
        ),
        (
            "{{#each people}}{{zzz}}{{/each}}",
            "1:19: found the unknown name `zzz`, expected a name of Person, TeamPage: \(personNames), note, isActive, count, chart, next, people, owner, flash"
        ), ("{{name.first}}", "1:3: found `name.first`, where `name` is a text, expected a group before the `.`"),
        ("{{people.name}}", "1:3: found `people.name`, where `people` is a list, expected a group before the `.`"),
        ("{{isActive}}", "1:3: found `isActive`, which is a flag, \(aValue)"),
        ("{{people}}", "1:3: found `people`, which is a list, \(aValue)"),
        ("{{#each name}}{{/each}}", "1:9: found `{{#each}}` over a text: `name`, expected a list"),
        ("{{#if name}}{{/if}}", "1:7: found `{{#if}}` over a text: `name`, \(aCondition)"),
        ("{{#with people}}{{/with}}", "1:9: found `with` over a list: `people`, expected a group"),
        ("{{> \"p\" with note}}", "1:14: found `with` over an optional text: `note`, expected a group"),
        ("{{> \"partials/p\"}}", "1:1: found the partial `partials/p`, \(aTemplate)"),
        ("{{> \"lo\"}}", "1:1: found the partial `lo`, \(aTemplate); did you mean `l`?"),
        ("{{layout \"none/here\"}}", "1:1: found the layout `none/here`, \(aTemplate)"),
        ("{{content}}", "1:1: found `{{content}}` in a page that is no layout, expected it in a layout"),
    ]) func `says where and what was expected`(template: String, expected: String) {
        #expect(TeamPage.faults(template, ["p": "x", "l": "{{content}}"]) == ["page.html:" + expected])
    }

    @Test(arguments: [
        (["p": "\n{{nme}}"], "{{> \"p\"}}{{> \"p\"}}", "p.html:2:3: found the unknown name `nme`"),
        (
            ["p": "{{> \"q\"}}", "q": " {{> \"p\"}}"], "{{> \"p\"}}",
            "q.html:1:2: found a partial inside itself (p → q → p)"
        ), (["p": "{{#if"], "{{> \"p\"}}", "p.html:1:1: found `{{` without `}}`"),
        (["p": "{{content}}"], "{{> \"p\"}}", "p.html:1:1: found `{{content}}` in a partial"),
        (["p": "{{layout \"l\"}}", "l": ""], "{{> \"p\"}}", "p.html:1:1: found `{{layout}}` in a partial"),
        (["l": "x"], "{{layout \"l\"}}", "l.html:1:1: found a layout without `{{content}}`"),
        (["l": "{{layout \"l\"}}{{content}}"], "{{layout \"l\"}}", "l.html:1:1: found the layout `l` inside itself"),
        (["l": "{{nme}}{{content}}"], "{{layout \"l\"}}", "l.html:1:3: found the unknown name `nme`"),
    ]) func `names the file that is at fault, once`(others: [String: String], page: String, beginning: String) {
        let faults = TeamPage.faults(page, others)

        #expect(faults.count == 1)
        #expect(faults.first?.hasPrefix(beginning) == true, "\(faults)")
    }

    @Test func `does not blame names inside a block whose own name is unknown`() {
        let faults = TeamPage.faults("{{#each poeple}}{{nick}}{{/each}}{{nme}}")

        #expect(faults.map { $0.prefix(15) } == ["page.html:1:9: ", "page.html:1:36:"])
    }

    @Test func `is checked for all pages at once, unused files included`() {
        let set = TemplateSet(templates: ["page": "{{nme}}", "other": "{{/if}}"])

        let error = #expect(throws: Diagnostics.self) { try set.check([TeamPage.self, KeyPage.self]) }

        #expect(error?.all.map(\.location.description) == ["page.html:1:3", "keys/show.html:1:1", "other.html:1:1"])
        #expect(throws: Never.self) { try TemplateSet(templates: ["keys/show": "{{id}}"]).check([KeyPage.self]) }
    }

    @Test func `shows fields that no template uses when asked`() {
        let set = TemplateSet(templates: ["keys/show": "{{id}}{{#with owner}}{{message}}{{/with}}"])

        let unused = set.unusedFields(of: [KeyPage.self])

        #expect(unused.map(\.found) == ["the field `secret` of KeyPage, which no template uses"])
    }

    @Test func `cannot have two fields of one name, or one named like a tag`() {
        let set = TemplateSet(templates: ["twice": ""])

        let error = #expect(throws: Diagnostics.self) { try set.check([TwicePage.self]) }

        #expect(
            error?.all.map(\.found) == [
                "the field `id` of TwicePage, declared twice",
                "the field `content` of TwicePage, no name a template can use",
            ])
    }

    struct KeyPage: View {
        static let template = "keys/show"
        static let fields = Fields<Self> {
            $0.text("id") { _ in "" }
            $0.text("secret") { _ in "" }
            $0.group("owner", TeamPage.Flash.fields) { _ in TeamPage.Flash(message: "") }
        }
    }

    struct TwicePage: View {
        static let template = "twice"
        static let fields = Fields<Self> {
            $0.text("id") { _ in "" }
            $0.text("id") { _ in "" }
            $0.flag("content") { _ in true }
        }
    }
}
