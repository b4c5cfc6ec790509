import Core
import Registry

/// Identity sources of a team as one choice, so that at least one source is selected.
enum SourceChoice: String, CaseIterable, Sendable {
    case directory
    case apple
    case both

    init(_ sources: Set<IdentitySource>) {
        self =
            switch (sources.contains(.directory), sources.contains(.apple)) {
            case (true, true): .both
            case (_, true): .apple
            default: .directory
            }
    }

    var sources: Set<IdentitySource> {
        switch self {
        case .directory: [.directory]
        case .apple: [.apple]
        case .both: [.directory, .apple]
        }
    }

    var words: Message { Message(in: "console.settings.sources", rawValue) }
}
