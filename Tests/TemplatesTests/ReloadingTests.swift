import Templates
import TestSupport
import Testing

@Suite struct `Pages of a folder` {
    private let folder: TemporaryFolder
    private let clock = ReloadingClock()

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("one {{name}} {{> \"parts/p\"}}", to: "page.html")
        try folder.write("p", to: "parts/p.html")
    }

    @Test func `are read by their path, other files left alone`() throws {
        try folder.write("{{", to: "note.txt")
        try folder.write("{{", to: ".hidden.html")

        try TemplateSet(folder: folder.path).check([TeamPage.self])

        #expect(try text(pages(isWatching: false).page(TeamPage.self)) == "one Acme p")
    }

    @Test func `that cannot be read say why`() throws {
        let error = #expect(throws: Diagnostics.self) { try TemplateSet(folder: folder.path + "/none") }

        #expect(error?.description.contains("which cannot be read (No such file or directory)") == true)
    }

    @Test func `have a bounded length`() throws {
        try folder.write(String(repeating: "x", count: 256 * 1024 + 1), to: "big.html")

        let error = #expect(throws: Diagnostics.self) { try TemplateSet(folder: folder.path) }

        #expect(error?.description == "big.html:1:1: found more than 262144 bytes, expected a shorter file")
    }

    @Test func `show an edit when watched, 200 ms later at most`() throws {
        let page = try pages(isWatching: true).page(TeamPage.self)
        try folder.write("two {{name}}", to: "page.html")

        #expect(text(page) == "one Acme p")
        clock.pass(.milliseconds(199))
        #expect(text(page) == "one Acme p")
        clock.pass(.milliseconds(1))
        #expect(text(page) == "two Acme")
    }

    @Test func `show an edit of a partial, and a new one`() throws {
        let page = try pages(isWatching: true).page(TeamPage.self)

        try folder.write("{{> \"parts/q\"}}", to: "parts/p.html")
        try folder.write("q", to: "parts/q.html")
        clock.pass(.seconds(1))

        #expect(text(page) == "one Acme q")
    }

    @Test func `keep the last good version while an edit is broken`() throws {
        let page = try pages(isWatching: true).page(TeamPage.self)

        try folder.write("{{nme}}", to: "page.html")
        clock.pass(.seconds(1))

        #expect(text(page) == "one Acme p")
        #expect(page.diagnostics()?.all.map(\.location.description) == ["page.html:1:3"])

        try folder.remove("page.html")
        clock.pass(.seconds(1))

        #expect(text(page) == "one Acme p")
        #expect(page.diagnostics()?.all.map(\.found) == ["no such template, which TeamPage asks for"])

        try folder.write("three", to: "page.html")
        clock.pass(.seconds(1))

        #expect(text(page) == "three")
        #expect(page.diagnostics() == nil)
    }

    @Test func `stay as they were when not watched`() throws {
        let page = try pages(isWatching: false).page(TeamPage.self)
        try folder.write("two", to: "page.html")
        clock.pass(.seconds(1))

        #expect(text(page) == "one Acme p")
        #expect(page.diagnostics() == nil)
    }

    @Test func `serve many threads while they change`() async throws {
        let page = try pages(isWatching: true).page(TeamPage.self)
        try folder.write("two {{name}}", to: "page.html")
        let clock = clock

        let texts = await withTaskGroup(of: [String].self) { group in
            for _ in 0..<8 {
                group.addTask {
                    (0..<50).map { _ in
                        clock.pass(.milliseconds(50))
                        return text(page)
                    }
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }

        #expect(texts.count == 400)
        #expect(Set(texts).isSubset(of: ["one Acme p", "two Acme"]))
        #expect(text(page) == "two Acme")
    }

    private func pages(isWatching: Bool) throws -> Pages {
        try Pages(folder: folder.path, isWatching: isWatching, now: { [clock] in clock.now })
    }
}

private func text(_ page: LivePage<TeamPage>) -> String {
    var out: [UInt8] = []
    page.current().render(TeamPage(), into: &out)
    return String(decoding: out, as: UTF8.self)
}
