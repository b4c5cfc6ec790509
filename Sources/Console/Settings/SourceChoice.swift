import Bytes
import Tenancy

/// Where people of a team prove who they are, as one choice: there is none without a source.
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

    var words: Phrase {
        switch self {
        case .directory: Phrase("console.settings.sources.directory")
        case .apple: Phrase("console.settings.sources.apple")
        case .both: Phrase("console.settings.sources.both")
        }
    }

    var hint: Phrase {
        switch self {
        case .directory: Phrase("console.settings.sources.directory.hint")
        case .apple: Phrase("console.settings.sources.apple.hint")
        case .both: Phrase("console.settings.sources.both.hint")
        }
    }
}
