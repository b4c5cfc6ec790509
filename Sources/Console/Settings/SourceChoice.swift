import Bytes
import Localization
import Tenancy

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

    var words: Message {
        switch self {
        case .directory: Message("console.settings.sources.directory")
        case .apple: Message("console.settings.sources.apple")
        case .both: Message("console.settings.sources.both")
        }
    }

    var hint: Message {
        switch self {
        case .directory: Message("console.settings.sources.directory.hint")
        case .apple: Message("console.settings.sources.apple.hint")
        case .both: Message("console.settings.sources.both.hint")
        }
    }
}
