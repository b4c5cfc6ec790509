import Postgres
import Testing

@testable import pippin

/// How many connections to PostgreSQL a process has, and what for.
@Suite struct DatabaseConnectionTests {
    private func settings(_ arguments: String...) -> (Settings?, problems: [String]) {
        let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        var options = Options(arguments + ["--resources=\(root)"])
        let settings = Settings(&options)
        return (settings, options.problems)
    }

    @Test(arguments: 1...8) func `O12: are as many as was said, and one for each purpose`(loops: Int) {
        for given in [Databases.fewest(of: loops), 20 * loops, Databases.connections(of: loops), 60 * loops] {
            let databases = Databases("", loops: loops, connections: given)
            let (app, system, watching) = (databases.app, databases.system, databases.watching)
            let all = loops * (app.connections + system.connections) + watching.connections
            #expect(all <= given)
            #expect(given - all <= 12 * loops, "the rest of a division")
            let pools = [app.shared, app.exclusive, app.lockWaitPool, app.searching]
            #expect((pools + [system.shared, system.exclusive, system.lockWaitPool]).min() ?? 0 >= 1)
            #expect(pools[0] == pools.max())
        }
        let usual = Databases("", loops: loops, connections: Databases.connections(of: loops))
        #expect(usual.app.shared == Databases("").app.shared)
        #expect(usual.system.connections == Databases("").system.connections)
    }

    @Test func `O12: fewer than that are refused`() {
        #expect(settings("--loops=2", "--database-connections=16").0?.databaseConnections == 16)
        #expect(
            settings("--loops=2", "--database-connections=15").problems == [
                "--database-connections 15 is not a number from 16 to 80000"
            ])
        #expect(settings("--loops=0").problems == ["--loops 0 is not a number from 1 to 1024"])
    }

    @Test(arguments: [
        ("max 100000", nil), ("200000 100000", 2), ("150000 100000", 2), ("50000 100000", 1), ("1 100000", 1),
        ("", nil), ("0 100000", nil), ("100000 0", nil), ("9223372036854775807 1", Int.max),
    ]) func `O12: a container's share of the processor is its number of loops`(share: String, cores: Int?) {
        #expect(Machine.cores(share: share) == cores)
    }
}
