import Templates
import TestSupport
import Testing

@Suite struct `Damaged templates` {
    private static let pieces = [
        "{{", "}}", "{{{", "}", "{{#if note}}", "{{#if not isActive}}", "{{else if flash}}", "{{else}}", "{{/if}}",
        "{{#each people}}", "{{#each keys}}", "{{/each}}", "{{#with owner}}", "{{#with flash}}", "{{/with}}",
        "{{name}}", "{{count}}", "{{chart}}", "{{next}}", "{{id}}", "{{owner.device.message}}", "{{content}}",
        "{{> \"p\"}}", "{{> \"page\"}}", "{{> \"p\" with owner}}", "{{layout \"l\"}}", "{{! x }}", "{{ . }}", "<a", "<",
        ">", "/", "\"", "'", "=", " ", "\n", "href=\"", "src='", "<script>", "</script>", "<!--", "-->",
        "<meta http-equiv=\"refresh\" content=\"0;url=", "javascript:", "&", "é", "\u{0}", "\r\n",
    ]

    @Test(arguments: 0..<10) func `in any order of tags never traps`(seed: Int) {
        var generator = Garbage(seed: UInt64(seed))
        let page = TeamPage(isActive: true, people: [TeamPage.Person(name: "Ada", keys: [TeamPage.Key(id: "k")])])
        for _ in 0..<60 {
            let text = Self.random(&generator)
            let others = ["p": Self.random(&generator), "l": Self.random(&generator) + "{{content}}"]
            do throws(Diagnostics) { _ = try page.rendered(text, others) } catch {
                #expect(!error.all.isEmpty && error.all.allSatisfy { $0.location.line > 0 && $0.location.column > 0 })
            }
        }
    }

    @Test(arguments: 0..<4) func `bytes never trap`(seed: Int) throws {
        var generator = Garbage(seed: UInt64(seed) &+ 1_000)
        let folder = try TemporaryFolder()
        let template = "{{#each people}}<a href=\"/x?{{name}}\">{{#if isOwner}}{{name}}{{/if}}</a>{{/each}}"
        for _ in 0..<40 {
            var scalars = Array(template.unicodeScalars)
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                let index = Int.random(in: scalars.indices, using: &generator)
                scalars[index] = Unicode.Scalar(UInt8.random(in: 0...255, using: &generator))
            }
            scalars.removeLast(Int.random(in: 0...10, using: &generator))
            try folder.write(String(String.UnicodeScalarView(scalars)), to: "page.html")
            let set = try TemplateSet(folder: folder.path)
            let bound = try? set.bind(TeamPage.self)
            var out: [UInt8] = []
            bound?.render(TeamPage(), into: &out)
        }
    }

    @Test func `long rows of one byte or tag end soon`() {
        for piece in [
            "{", "}", "{{", "<", "\"", "{{!", "{{/if}}", "{{else}}", "{{x}}", "{{#if note}}{{/if}}", "<a ", "<!--",
        ] {
            let faults = TeamPage.faults(String(repeating: piece, count: 3_000))
            #expect(faults.count <= 100)
        }
    }

    @Test func `that is not UTF-8 is refused`() throws {
        let folder = try TemporaryFolder()
        try folder.write("a", to: "page.html")
        #expect(throws: Never.self) { try TemplateSet(folder: folder.path).bind(TeamPage.self) }

        try folder.write(bytes: [0x61, 0xFF, 0xC3], to: "page.html")

        let error = #expect(throws: Diagnostics.self) { try TemplateSet(folder: folder.path).bind(TeamPage.self) }
        #expect(error?.description == "page.html:1:1: found bytes that are not UTF-8, expected a text file in UTF-8")
    }

    private static func random(_ generator: inout Garbage) -> String {
        (0..<Int.random(in: 0...14, using: &generator)).map { _ in pieces.randomElement(using: &generator) ?? "" }
            .joined()
    }
}
