import Templates
import Testing

@Suite struct `A rendered page` {
    private let page = TeamPage(
        note: "new", isActive: true, count: -42,
        people: [
            TeamPage.Person(name: "Ada", isOwner: true, keys: [TeamPage.Key(id: "k1"), TeamPage.Key(id: "k2")]),
            TeamPage.Person(name: "Ben"),
        ], owner: TeamPage.Person(name: "Cleo", device: TeamPage.Flash(message: "phone")), )

    @Test(arguments: [
        ("<b>{{name}}</b>", "<b>Acme</b>"), ("{{ name }}{{name}}", "AcmeAcme"), ("{{count}}", "-42"),
        ("{{chart}}", "<svg></svg>"), ("{{note}}!", "new!"), ("{{owner.name}}", "Cleo"),
        ("{{owner.device.message}}", "phone"), ("[{{flash.message}}]", "[]"), ("a{{! nothing }}b", "ab"),
        ("a } }} { b", "a } }} { b"), ("", ""),
    ]) func `holds the values of its fields`(template: String, expected: String) throws {
        #expect(try page.rendered(template) == expected)
    }

    @Test(arguments: [
        ("{{#if isActive}}yes{{/if}}", "yes"), ("{{#if not isActive}}no{{else}}yes{{/if}}", "yes"),
        ("{{#if flash}}a{{else if note}}b{{else}}c{{/if}}", "b"),
        ("{{#if flash}}a{{else if not people}}b{{else}}c{{/if}}", "c"), ("{{#if people}}some{{/if}}", "some"),
        ("{{#if flash}}a{{/if}}b", "b"), ("{{#if owner.device}}{{owner.device.message}}{{/if}}", "phone"),
        ("{{#if owner.keys}}a{{else}}b{{/if}}", "b"),
    ]) func `takes the branch that holds`(template: String, expected: String) throws {
        #expect(try page.rendered(template) == expected)
    }

    @Test(arguments: [
        ("{{#each people}}{{name}};{{/each}}", "Ada;Ben;"),
        (
            "{{#each people}}{{name}}{{#each keys}} {{id}} of {{name}}{{else}} none{{/each}};{{/each}}",
            "Ada k1 of Ada k2 of Ada;Ben none;"
        ), ("{{#each owner.keys}}a{{else}}b{{/each}}", "b"),
        ("{{#each people}}{{#if isOwner}}{{count}}{{/if}}{{/each}}", "-42"),
        ("{{#each people}}{{owner.name}}{{/each}}", "CleoCleo"),
        ("{{#with owner}}{{name}} {{count}}{{/with}} {{name}}", "Cleo -42 Acme"),
        ("{{#with flash}}{{message}}{{else}}quiet {{name}}{{/with}}", "quiet Acme"),
        ("{{#with owner}}{{#with device}}{{message}} of {{name}}{{/with}}{{/with}}", "phone of Cleo"),
    ]) func `looks names up from the innermost block outward`(template: String, expected: String) throws {
        #expect(try page.rendered(template) == expected)
    }

    @Test func `writes the smallest and the largest number`() throws {
        #expect(try TeamPage(count: .min).rendered("{{count}}") == "-9223372036854775808")
        #expect(try TeamPage(count: .max).rendered("{{count}}") == "9223372036854775807")
    }

    @Test func `is appended to what is already there`() throws {
        var out = Array("before ".utf8)

        try TemplateSet(templates: ["page": "{{name}}"]).bind(TeamPage.self).render(TeamPage(), into: &out)

        #expect(out == Array("before Acme".utf8))
    }
}
