import Templates
import Testing

@Suite struct `A line of tags alone` {
    @Test(arguments: [
        ("a\n  {{#if isActive}}\n  b\n  {{/if}}\nc\n", "a\n  b\nc\n"),
        ("a\r\n{{#if isActive}}\r\nb\r\n{{/if}}\r\nc", "a\r\nb\r\nc"),
        ("{{! top }}\na\n{{! of\n several lines }}\nb", "a\nb"), ("{{#if isActive}}\na\n{{/if}}", "a\n"),
        ("{{#if isActive}} {{! why }}\na\n{{/if}}\n", "a\n"),
        ("{{#if not isActive}}\na\n{{else if note}}\nb\n{{else}}\nc\n{{/if}}\nd", "c\nd"),
        ("a\n\t{{#each people}}\n{{name}}\n\t{{/each}}\n\nb", "a\n\nb"),
    ]) func `leaves no trace`(template: String, expected: String) throws {
        #expect(try TeamPage(isActive: true).rendered(template) == expected)
    }

    @Test(arguments: [
        ("a {{#if isActive}}\nb{{/if}}\nc", "a \nb\nc"), ("  {{name}}\n", "  Acme\n"),
        ("{{#if isActive}} {{name}} {{/if}}\n", " Acme \n"), ("{{> \"p\"}}\nb", "x\nb"),
    ]) func `stays when it holds anything else`(template: String, expected: String) throws {
        #expect(try TeamPage(isActive: true).rendered(template, ["p": "x"]) == expected)
    }
}
