import Platform
import Testing

@testable import pippin

@Suite struct `The option --limits` {
    private func read(_ text: String) -> (limits: [String: Int]?, problems: [String]) {
        let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        var options = Options(["--limits=\(text)", "--resources=\(root)"])
        let settings = Settings(&options)
        return (settings?.limits, options.problems)
    }

    @Test func `sets other numbers for rate limits`() {
        let (limits, problems) = read("mail-by-sender=500,failed-proofs=20")
        #expect(limits == ["mail-by-sender": 500, "failed-proofs": 20], "\(problems)")
    }

    @Test(arguments: ["nothing=5", "probes=100", "mail-by-sender", "mail-by-sender="])
    func `refuses what is no such limit, and says which there are`(text: String) {
        let names = RateLimit.all.filter(\.isAdjustable).map(\.name).joined(separator: ", ")
        #expect(read(text).problems == ["--limits \(text) sets none of \(names)"])
        #expect(read(text).limits == nil)
    }

    @Test(arguments: ["many", "0", "-1", "1000001", "99999999999999999999"]) func `refuses what is no such number`(
        number: String
    ) {
        let text = "mail-by-sender=\(number)"
        #expect(read(text).problems == ["--limits \(text) is not a number from 1 to 1,000,000"])
        #expect(read("mail-by-sender=5,mail-by-sender=6").problems == ["--limits sets mail-by-sender twice"])
    }
}

extension WholeProduct {
    @Suite struct `Limits of an operator's own` {
        @Test func `hold on every loop`() async throws {
            try await withWalk { walk in
                for services in walk.product.process.loopServices {
                    #expect(services.database.limits.most(of: .mailBySender) == 121)
                }
            }
        }
    }
}
