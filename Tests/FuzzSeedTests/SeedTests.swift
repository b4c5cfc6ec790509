import Testing

/// The inputs that the fuzzer keeps for each reader, those that once broke it among them.
struct SeedTests {
    private static let folder =
        "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/") + "/fuzz/seeds/"

    @Test(arguments: Parsers.all.keys.sorted()) func `a reader takes what the fuzzer kept for it`(name: String) throws {
        let parse = try #require(Parsers.all[name])
        let seeds = Files.all(in: Self.folder + name)

        #expect(!seeds.isEmpty)
        for seed in seeds { parse(seed) }
    }

    @Test func `registry files that the fuzzer has kept are read or refused`() {
        let seeds = Files.all(in: Self.folder + "registry")

        #expect(!seeds.isEmpty)
        for seed in seeds { Readers.registryFile(seed) }
    }
}

/// What the fuzzer's readers promise of an input.
func expect(_ promise: Bool, _ what: @autoclosure () -> String = "", file: StaticString = #fileID, line: Int = #line) {
    if !promise { Issue.record("broken promise in \(file):\(line): \(what())") }
}
