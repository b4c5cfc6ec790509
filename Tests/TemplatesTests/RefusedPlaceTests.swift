import Templates
import Testing

private let onlyInText = "expected values only in text and in quoted attributes"
private let literal = "expected literal text there"
private let unknownStart =
    "found a value in a URL whose beginning depends on a branch, a value or a character reference"
private let onePlace = "expected one place"
private let apart = "whose ways end in different places of the HTML:"
private let runsOn = "found text that runs on where a branch before it may end in a name, expected a space, `/` or `>`"
private let noEnd = "found markup that does not end: the page ends"
private let itsEnd = "expected its end in the page"
private let wholeURL = "expected the whole URL as one value or in each branch"

@Suite struct `A value is refused` {
    @Test(arguments: [
        ("<script>let a = {{name}}</script>", "1:19: found a value inside `<script>`: `name`, \(onlyInText)"),
        ("<SCRIPT>\n'</scrip>'{{count}}</script>", "2:13: found a value inside `<script>`: `count`, \(onlyInText)"),
        ("<style>{{name}}</style>", "1:10: found a value inside `<style>`: `name`, \(onlyInText)"),
        ("<iframe>{{name}}</iframe>", "1:11: found a value inside `<iframe>`: `name`, \(onlyInText)"),
        ("<title></{{name}}</title>", "1:12: found a value inside `<title>`: `name`, \(onlyInText)"),
        ("<!-- {{name}} -->", "1:8: found a value in a comment: `name`, \(onlyInText)"),
        ("<!--!>{{name}}-->", "1:9: found a value in a comment: `name`, \(onlyInText)"),
        ("<!doctype {{name}}>", "1:13: found a value in a declaration: `name`, \(onlyInText)"),
        ("<{{name}}>", "1:4: found a value in the name of a tag: `name`, \(onlyInText)"),
        ("<a{{name}}>", "1:5: found a value in the name of a tag: `name`, \(onlyInText)"),
        ("<a {{name}}>", "1:6: found a value among the attributes of `<a>`: `name`, \(onlyInText)"),
        ("<a x{{name}}=\"\">", "1:7: found a value among the attributes of `<a>`: `name`, \(onlyInText)"),
        ("<a b={{name}}>", "1:8: found a value in an attribute without quotes: `name`, expected quotes around it"),
        ("<a b=x{{name}}>", "1:9: found a value in an attribute without quotes: `name`, expected quotes around it"),
        ("<a onClick=\"{{name}}\">", "1:15: found a value in the script in `onclick`: `name`, \(literal)"),
        ("<a style=\"width:{{count}}\">", "1:19: found a value in the style sheet in `style`: `count`, \(literal)"),
        ("<img srcset=\"{{name}}\">", "1:16: found a value in `srcset`: `name`, \(literal)"),
        ("<iframe srcdoc=\"{{name}}\">", "1:19: found a value in `srcdoc`: `name`, \(literal)"),
        (
            "<svg><set to=\"{{name}}\"/></svg>",
            "1:17: found a value in `<set>`, which can set other attributes: `name`, \(literal)"
        ), ("<meta http-equiv=\"{{name}}\">", "1:21: found a value in `http-equiv`: `name`, \(literal)"),
        ("<a href=\"javascript:f('{{name}}')\">", "1:26: found a value in a URL of script or data: `name`, \(literal)"),
        ("<a href=\" java\nscript:{{name}}\">", "2:10: found a value in a URL of script or data: `name`, \(literal)"),
        (
            "<script src=\"{{name}}\"></script>",
            "1:16: found a text as the URL of `<script>`: `name`, expected a SafeURL"
        ),
        (
            "<iframe src=\"{{note}}\"></iframe>",
            "1:16: found an optional text as the URL of `<iframe>`: `note`, expected a SafeURL"
        ),
        (
            "<meta http-equiv=refresh content=\"0;url={{name}}\">",
            "1:43: found a text as the URL of a refresh: `name`, expected a SafeURL"
        ),
        (
            "<meta http-equiv=refresh content=\"0;url='{{name}}'\">",
            "1:44: found a text as the URL of a refresh: `name`, expected a SafeURL"
        ),
        (
            "<meta http-equiv=refresh content=\"{{name}}\">",
            "1:37: found a text before `url=` of a refresh: `name`, expected a number"
        ),
        (
            "<meta content=\"{{name}}\" http-equiv=refresh>",
            "1:44: found `http-equiv=\"refresh\"` after a `content` with a value, expected `http-equiv` before `content`"
        ), ("<p title=\"{{chart}}\">", "1:13: found a SafeHTML in an attribute: `chart`, expected a text"),
        ("<title>{{chart}}</title>", "1:10: found a SafeHTML inside `<title>`: `chart`, expected a text"),
        ("<a href=\"{{name}}:{{note}}\">", "1:21: \(unknownStart): `note`, \(wholeURL)"),
        ("<a href=\"{{#if note}}/x{{/if}}{{name}}\">", "1:33: \(unknownStart): `name`, \(wholeURL)"),
    ]) func `where no escaping is enough`(template: String, expected: String) {
        #expect(TeamPage.faults(template) == ["page.html:" + expected])
    }
}

@Suite struct `Branches end in one place` {
    @Test(arguments: [
        "<option{{#if isActive}} selected{{/if}}>{{name}}",
        "<option {{#if isActive}}selected{{/if}} value=\"{{name}}\">",
        "<a{{#if note}} title=\"{{note}}\"{{else}} href=\"{{name}}\"{{/if}}>{{name}}",
        "<a{{#each people}} data-x=\"{{name}}\"{{/each}}>{{name}}", "<a class=\"a{{#if isActive}} b{{/if}}\">{{name}}",
        "<a class=a{{#if isActive}}b{{/if}}>{{name}}", "<a href=\"{{#if note}}{{note}}{{else}}/x?y={{name}}{{/if}}\">",
        "<a href=\"{{#if note}}apps{{else}}teams{{/if}}/{{name}}\">",
        "<a href=\"/x?{{#each people}}n={{name}}&amp;{{/each}}\">", "<a href=\"{{#each people}}x{{/each}}\">{{name}}",
        "{{#if note}}<p>{{else}}<div>{{/if}}{{name}}", "<script>{{#if isActive}}on(){{else}}off(){{/if}}</script>",
    ]) func `and then bind`(template: String) { #expect(TeamPage.faults(template) == []) }

    @Test(arguments: [
        (
            "a\n<p {{#if note}}title=\"{{else}}class=\"x\"{{/if}}>",
            "2:4: found `{{#if}}` \(apart) in the attribute `title` of `<p>` and among the attributes of `<p>`, \(onePlace)"
        ),
        (
            "{{#if note}}<b {{/if}}",
            "1:1: found `{{#if}}` \(apart) among the attributes of `<b>` and in text, \(onePlace)"
        ), ("{{#each people}}<!--{{/each}}", "1:1: found `{{#each}}` \(apart) in text and in a comment, \(onePlace)"),
        (
            "<p title=\"{{#with flash}}\"{{/with}}>",
            "1:11: found `{{#with}}` \(apart) among the attributes of `<p>` and in the attribute `title` of `<p>`, \(onePlace)"
        ),
        (
            "{{#if note}}<script>{{else if isActive}}</script>{{/if}}",
            "1:1: found `{{#if}}` \(apart) inside `<script>` and in text, \(onePlace)"
        ), ("<a{{#if note}} b{{/if}}c>", "1:24: \(runsOn)"),
        ("<i {{#if note}}a{{/if}}{{#if isActive}}b{{/if}}>", "1:40: \(runsOn)"),
        ("<a href=\"{{#each people}}{{name}}{{/each}}\">", "1:28: \(unknownStart): `name`, \(wholeURL)"),
        ("x\n<p title=\"{{name}}", "2:1: \(noEnd) in the attribute `title` of `<p>`, \(itsEnd)"),
        ("<script>", "1:1: \(noEnd) inside `<script>`, \(itsEnd)"),
    ]) func `or are refused`(template: String, expected: String) {
        #expect(TeamPage.faults(template) == ["page.html:" + expected])
    }
}
