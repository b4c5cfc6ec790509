import Templates
import Testing

private let aName = "expected a name (letters, digits, `_`, groups joined by `.`)"
private let aTag = "expected a name alone, `layout`, `content`, `else` or `t`"
private let aBlock = "expected `if`, `each` or `with`"
private let aWord = "which is a word of the syntax"

@Suite struct `A template that cannot be read` {
    @Test(arguments: [
        ("a {{name", "1:3: found `{{` without `}}` on its line, expected a whole tag, `{{name}}`"),
        ("\n{{ name\n}}", "2:1: found `{{` without `}}` on its line, expected a whole tag, `{{name}}`"),
        ("ä{{ x {{name}}", "1:2: found `{{` without `}}` on its line, expected a whole tag, `{{name}}`"),
        ("{{! open", "1:1: found a comment that does not end, expected `}}`"),
        ("{{}}", "1:3: found an empty tag, expected `{{name}}`"),
        ("{{{name}}}", "1:3: found `{{{`, expected `{{name}}`; markup is a value of type SafeHTML, not a tag"),
        ("{{9x}}", "1:3: found `9x`, \(aName)"), ("{{a..b}}", "1:3: found `a..b`, \(aName)"),
        ("{{this}}", "1:3: found `this`, \(aWord), \(aName)"),
        ("{{pick \"key\"}}", "1:3: found the unknown tag `pick`, \(aTag)"),
        ("{{layot \"x\"}}", "1:3: found the unknown tag `layot`, \(aTag); did you mean `layout`?"),
        ("{{#unless a}}", "1:4: found the unknown block `#unless`, \(aBlock)"),
        ("{{#eech a}}", "1:4: found the unknown block `#eech`, \(aBlock); did you mean `each`?"),
        ("{{#}}", "1:4: found a block without a name, \(aBlock)"), ("{{#if}}{{/if}}", "1:6: found nothing, \(aName)"),
        ("{{#if name count}}{{/if}}", "1:12: found `count`, expected `}}` after `name`"),
        ("{{#each not people}}{{/each}}", "1:9: found `not`, \(aWord), \(aName)"),
        (
            "{{#if name}}",
            "1:1: found `{{#if name}}` that is never closed, expected `{{/if}}` before the end of the file"
        ), ("{{/if}}", "1:1: found `{{/if}}` without a block, expected `{{#if}}` before it"),
        (
            "{{#if name}}\n{{#each people}}\n{{/if}}{{/each}}",
            "3:1: found `{{/if}}`, expected `{{/each}}` for `{{#each people}}` of line 2"
        ), ("{{#if note}}{{/each}}{{/if}}", "1:13: found `{{/each}}`, expected `{{/if}}` for `{{#if note}}` of line 1"),
        ("{{else}}", "1:1: found `{{else}}` outside a block, expected it inside `{{#if}}`"),
        (
            "{{#if note}}{{else}}{{else}}{{/if}}",
            "1:21: found `{{else}}` after `{{else}}`, expected `{{/if}}` for `{{#if note}}` of line 1"
        ),
        ("{{#each people}}{{else if note}}{{/each}}", "1:17: found `{{else if}}` in `{{#each}}`, expected `{{else}}`"),
        ("{{#if note}}{{else maybe}}{{/if}}", "1:20: found `else maybe`, expected `{{else}}` or `{{else if name}}`"),
        ("{{> p}}", "1:5: found `p`, expected a name in quotes: `{{> \"partials/name\"}}`"),
        ("{{> \"p}}", "1:5: found `\"` without its closing `\"`, expected `{{> \"partials/name\"}}`"),
        ("{{> \"p\" of x}}", "1:9: found `of`, expected `with` and a group, or `}}`"),
        ("x{{layout \"l\"}}", "1:2: found `{{layout}}` after other text, expected it at the top of the file"),
        ("{{layout \"l\"}}{{layout \"m\"}}", "1:15: found a second layout, expected one layout at the top"),
        ("{{layout l}}", "1:10: found `l`, expected a name in quotes: `{{layout \"layouts/name\"}}`"),
    ]) func `says where and what was expected`(template: String, expected: String) {
        #expect(TeamPage.faults(template, ["l": "{{content}}", "m": "{{content}}"]) == ["page.html:" + expected])
    }

    @Test func `says everything that is wrong`() {
        let faults = TeamPage.faults("{{a b}}\n{{#x}}\n{{#if note}}")

        #expect(faults.map { $0.prefix(13) } == ["page.html:1:3", "page.html:2:4", "page.html:3:1"])
    }

    @Test func `nests at most 32 blocks`() {
        let fine = String(repeating: "{{#if note}}", count: 32) + String(repeating: "{{/if}}", count: 32)
        let deep = String(repeating: "{{#if note}}", count: 20_000)

        #expect(TeamPage.faults(fine) == [])
        #expect(
            TeamPage.faults(deep) == ["page.html:1:385: found `{{#if}}` inside 32 other blocks, expected at most 32"])
    }
}
